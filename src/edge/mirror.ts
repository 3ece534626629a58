import { SYSTEM } from "../access/actor.ts";
import { toTokenType } from "../access/token.ts";
import { union } from "../applications/client-state.ts";
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
import { oneAtATime } from "../lib/background.ts";
import { timestamp } from "../lib/time.ts";
import { type Fetched, fetchFlags, listenTo, type Trouble, type Upstream } from "./upstream.ts";

/** What a token opens, as upstream says. */
export interface Scope {
  type: "client" | "frontend" | "admin" | "backend";
  environment: string;
  projects: readonly string[];
}

/** What was fetched with a token. */
export interface Kept extends Fetched {
  scope: Scope;
}

/** What an edge knows: tokens, in the tables of the server; and flags, by the hash of the token they came with. */
export interface Mirror {
  readonly db: Database;
  readonly kept: Map<string, Kept>;
  /** By the hash of the token. */
  readonly scopes: Map<string, Scope>;
  /** Grows with every change to what is known. */
  readonly version: number;
  /** Replaces what was fetched with this token, and with those that open nothing else. */
  keep(hash: string, kept: Kept): void;
  /** Lets applications in with a token, to what it opens now. */
  admit(hash: string, scope: Scope): void;
  /** Forgets a token, and the flags that came with it. */
  dismiss(hash: string): void;
}

const insert = command<Record<string, unknown>>(`
  INSERT INTO tokens (id, type, name, hash, projects, environment, created_at)
  VALUES (:id, :type, :name, :hash, :projects, :environment, :now)
  ON CONFLICT (hash) DO UPDATE SET projects = excluded.projects`);

const remove = command<{ hash: string }>(`DELETE FROM tokens WHERE hash = :hash`);

/** Serves what is kept, from an otherwise empty database. */
export function createMirror(db: Database): Mirror {
  const kept = new Map<string, Kept>();
  const scopes = new Map<string, Scope>();
  const merged = new Map<string, ForeignFlags>();
  let version = 0;
  const change = () => {
    version++;
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
    get version() {
      return version;
    },
    keep(hash, now) {
      const isSame = kept.get(hash)?.copy === now.copy;
      for (const [other, { scope }] of kept) if (covers(now.scope, scope)) kept.delete(other);
      kept.set(hash, now);
      if (!isSame) change();
    },
    admit(hash, scope) {
      version++;
      scopes.set(hash, scope);
      const { environment } = scope;
      const row = { type: toTokenType(scope.type), projects: JSON.stringify(scope.projects), environment };
      const id = Number.parseInt(hash.slice(0, 12), 16); // on all edges the same, as stream keys have it
      write(db, SYSTEM, (tx) => void insert(tx).run({ ...row, id, hash, name: "edge", now: timestamp() }));
    },
    dismiss(hash) {
      version++;
      scopes.delete(hash);
      write(db, SYSTEM, (tx) => void remove(tx).run({ hash }));
      if (kept.delete(hash)) change();
    },
  };
}

/** The flags of an environment: those of each project as they came last. */
function mergedIn(environment: string, all: Iterable<Kept>): ForeignFlags {
  const own = [...all].filter(({ scope }) => scope.environment === environment).sort((a, b) => a.at - b.at);
  const flags = new Map<string, Flag>();
  const segments = new Map<number, Segment>();
  for (const { scope, copy } of own) {
    for (const { name, project } of flags.values()) if (opens(scope, project)) flags.delete(name);
    for (const feature of copy.features)
      flags.set(feature.name, {
        name: feature.name,
        project: feature.project ?? "default",
        text: JSON.stringify(feature),
      });
    for (const segment of copy.segments ?? []) {
      const projects = copy.meta?.privateSegments?.[segment.id] ?? null; // an Unleash shows all to all
      const known = union(segments.get(segment.id), { projects });
      segments.set(segment.id, { projects: known, text: JSON.stringify(segment) });
    }
  }
  return {
    flags: [...flags.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    segments: new Map([...segments].sort(([a], [b]) => a - b)),
    revision: Math.max(0, ...own.map(({ copy }) => copy.meta?.revisionId ?? 0)),
  };
}

const opens = ({ projects }: Scope, project: string) => projects.includes("*") || projects.includes(project);

/** Whether one token opens all that the other does; `*` is opened only by itself. */
const covers = (one: Scope, other: Scope) =>
  one.environment === other.environment && other.projects.every((project) => opens(one, project));

/** Whether the flags that a token opens have come with one other. */
const isCovered = ({ kept }: Mirror, hash: string, scope: Scope) =>
  [...kept].some(([other, one]) => other !== hash && covers(one.scope, scope));

/** When the flags that a token opens were the server's last, in milliseconds; undefined if some have not come. */
export function confirmedAt({ kept }: Mirror, { environment, projects }: Scope): number | undefined {
  const newest = projects.map((project) =>
    Math.max(
      0,
      ...[...kept.values()]
        .filter(({ scope }) => covers(scope, { ...scope, environment, projects: [project] }))
        .map(({ at }) => at),
    ),
  );
  return Math.min(...newest) || undefined;
}

/** @returns what keeps the flags that a token opens as upstream has them, and resolves once they have been asked for */
export function createFollowing(mirror: Mirror, upstream: Upstream, trouble: Trouble) {
  const followed = new Map<string, { again: () => Promise<void>; listening: AbortController }>();

  const end = (hash: string) => {
    followed.get(hash)?.listening.abort();
    followed.delete(hash);
  };

  const refresh = async (hash: string, secret: string) => {
    const scope = mirror.scopes.get(hash);
    if (!isWanted(mirror, hash, scope)) return end(hash);
    await trouble.noting(hash, async () => {
      const found = await fetchFlags(upstream, secret, mirror.kept.get(hash));
      if (mirror.scopes.has(hash) && isWanted(mirror, hash, scope)) mirror.keep(hash, { scope, ...found });
      else end(hash);
    });
  };

  return async (hash: string, secret: string) => {
    const known = followed.get(hash);
    if (known) return known.again();
    const again = oneAtATime(() => refresh(hash, secret));
    const listening = new AbortController();
    followed.set(hash, { again, listening });
    await again();
    // Not if it has ended, since it is not wanted.
    void listenTo(upstream, secret, again, listening.signal);
  };
}

/**
 * Not with a service token, which has no environment, nor with a page's token, nor if another token brings the same
 * flags.
 */
const isWanted = (mirror: Mirror, hash: string, scope: Scope | undefined): scope is Scope =>
  (scope?.type === "client" || scope?.type === "backend") && !isCovered(mirror, hash, scope);
