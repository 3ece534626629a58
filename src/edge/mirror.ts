import { SYSTEM } from "../access/actor.ts";
import { toTokenType } from "../access/token.ts";
import {
  type Flag,
  FOREIGN,
  type ForeignFlags,
  type Segment,
  serveForeign,
} from "../applications/client-store.ts";
import type { Database } from "../db/database.ts";
import { bump } from "../db/revision.ts";
import { command } from "../db/statement.ts";
import { write } from "../events/write.ts";
import { timestamp } from "../lib/time.ts";
import type { Copy } from "./upstream.ts";

/** What a token opens, as upstream says. */
export interface Scope {
  type: "client" | "frontend" | "admin" | "backend";
  environment: string;
  projects: readonly string[];
}

/** What was fetched with a token, and when that was confirmed last, in milliseconds. */
export interface Kept {
  scope: Scope;
  copy: Copy;
  etag: string | undefined;
  at: number;
}

/** What an edge knows: tokens, in the tables of the server; and flags, by the hash of the token they came with. */
export interface Mirror {
  readonly db: Database;
  readonly kept: Map<string, Kept>;
  /** By the hash of the token. */
  readonly scopes: Map<string, Scope>;
  keep(hash: string, kept: Kept): void;
  /** Lets applications in with a token. */
  admit(hash: string, scope: Scope): void;
  /** Forgets a token, and the flags that came with it. */
  dismiss(hash: string): void;
}

const insert = command<Record<string, unknown>>(`
  INSERT OR IGNORE INTO tokens (type, name, hash, projects, environment, created_at)
  VALUES (:type, :name, :hash, :projects, :environment, :now)`);

const remove = command<{ hash: string }>(`DELETE FROM tokens WHERE hash = :hash`);

/** Serves what is kept, from an otherwise empty database. */
export function createMirror(db: Database): Mirror {
  const kept = new Map<string, Kept>();
  const scopes = new Map<string, Scope>();
  const merged = new Map<string, ForeignFlags>();
  const change = () => {
    merged.clear();
    bump(db, [FOREIGN]);
  };
  serveForeign(db, (environment) => {
    const found = merged.get(environment) ?? mergedIn(environment, kept.values());
    merged.set(environment, found);
    return found;
  });
  return {
    db,
    kept,
    scopes,
    keep(hash, now) {
      const isSame = kept.get(hash)?.copy === now.copy;
      kept.set(hash, now);
      if (!isSame) change();
    },
    admit(hash, scope) {
      scopes.set(hash, scope);
      const { environment } = scope;
      const row = { type: toTokenType(scope.type), projects: JSON.stringify(scope.projects), environment };
      write(db, SYSTEM, (tx) => void insert(tx).run({ ...row, hash, name: "edge", now: timestamp() }));
    },
    dismiss(hash) {
      scopes.delete(hash);
      write(db, SYSTEM, (tx) => void remove(tx).run({ hash }));
      if (kept.delete(hash)) change();
    },
  };
}

/** The flags of an environment that came with any token; the newest of each. */
function mergedIn(environment: string, all: Iterable<Kept>): ForeignFlags {
  const own = [...all]
    .filter(({ scope }) => scope.environment === environment)
    .sort((a, b) => revisionOf(a) - revisionOf(b));
  const flags = new Map<string, Flag>();
  const segments = new Map<number, Segment>();
  for (const { copy } of own) {
    for (const feature of copy.features)
      flags.set(feature.name, {
        name: feature.name,
        project: feature.project ?? "default",
        text: JSON.stringify(feature),
      });
    for (const segment of copy.segments ?? [])
      segments.set(segment.id, { projects: null, text: JSON.stringify(segment) });
  }
  return {
    flags: [...flags.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    segments: new Map([...segments].sort(([a], [b]) => a - b)),
    revision: Math.max(0, ...own.map(revisionOf)),
  };
}

const revisionOf = ({ copy }: Kept) => copy.meta?.revisionId ?? 0;

/** Whether another token that flags were fetched with opens all that this one does. */
export const isCovered = ({ scopes, kept }: Mirror, { environment, projects }: Scope) =>
  [...kept.keys()]
    .map((hash) => scopes.get(hash))
    .some(
      (scope) =>
        scope?.environment === environment &&
        (scope.projects.includes("*") || projects.every((project) => scope.projects.includes(project))),
    );
