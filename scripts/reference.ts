import fs from "node:fs";
import { fileURLToPath } from "node:url";
import type { Need } from "../src/auth/claim.ts";
import type { Operation } from "../src/http/operation.ts";
import { SURFACES } from "../src/surfaces.ts";
import { eventReference } from "./event-reference.ts";

/*
 * `npm run docs` writes docs/operations.md and docs/events.md from the contracts of the operations.
 */

/** docs/operations.md as it should be. */
function reference(): string {
  const rows = SURFACES.flatMap(({ isOpen = false, operations }) =>
    operations.map((operation) => ({ tag: operation.tag, row: toRow(operation, isOpen) })),
  );
  const sections = [...Map.groupBy(rows, ({ tag }) => tag)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([tag, list]) => [`## ${tag}`, "", ...HEAD, ...list.map(({ row }) => row), ""]);
  return [...INTRODUCTION, ...sections.flat()].join("\n");
}

const INTRODUCTION = [
  "# Operations",
  "",
  "Made by `npm run docs` from what the program declares; `/docs/openapi.json` of a running server says the same in full.",
  "What tokens, projects and errors are is told in [api.md](api.md).",
  "",
];

const HEAD = ["| operation | does | needs | takes | answers |", "| --- | --- | --- | --- | --- |"];

function toRow(operation: Operation, isOpen: boolean) {
  const { method, path, summary, permission, query, body, status = 200, deprecated } = operation;
  const takes = [...keysOf(query), ...keysOf(body)].map((key) => `\`${key}\``).join(", ");
  const does = `${summary}${deprecated ? " (deprecated)" : ""}`;
  return `| \`${method} ${path}\` | ${does} | ${isOpen ? "nothing" : toWords(permission)} | ${takes} | ${status} |`;
}

function keysOf(schema: object | undefined): string[] {
  const { entries, pipe } = (schema ?? {}) as {
    entries?: object;
    pipe?: ReadonlyArray<{ entries?: object }>;
  };
  return Object.keys(entries ?? pipe?.[0]?.entries ?? {});
}

function toWords(need: Operation["permission"]): string {
  if (need === null) return "a token or a session";
  if (typeof need === "string") return `\`${need}\``;
  const { permission = [], project, feature, segment, unlessOwn }: Need = need;
  const names = [permission].flat().map((name) => `\`${name}\``);
  if (names.length === 0)
    return project || feature || segment ? "the project visible" : "a token or a session";
  return `${names.join(" or ")}${unlessOwn ? ", unless it is one's own" : ""}`;
}

/** What the pages hold, by their path. */
export const REFERENCES: Readonly<Record<string, () => string>> = {
  "docs/operations.md": reference,
  "docs/events.md": eventReference,
};

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [page, write] of Object.entries(REFERENCES)) fs.writeFileSync(page, write());
