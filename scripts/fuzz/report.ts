import type { Found } from "./rounds.ts";

export interface Report {
  seed: number;
  executable: string;
  seconds: number;
  /** Cases by kind, responses by status. */
  counts: Record<string, number>;
  /** The slowest plain request on a new connection, in milliseconds. */
  slowest: number;
  /** Of the server at the end, in bytes; undefined if unknown. */
  memory: number | undefined;
  found: Found[];
}

/** The report in human-readable form. */
export function toText({ seed, executable, seconds, counts, slowest, memory, found }: Report): string {
  const list = Object.entries(counts).map(([name, count]) => `${count} × ${name}`);
  return [
    ...found.map((one) => `${toFindingText(one, seed)}\n`),
    `seed ${seed}, ${executable}, ${Math.round(seconds)} s`,
    `cases and responses: ${list.join(", ")}`,
    `slowest plain request meanwhile: ${Math.round(slowest)} ms`,
    ...(memory === undefined ? [] : [`memory at the end: ${Math.round(memory / 1e6)} MB`]),
    found.length === 0 ? "nothing found" : `${found.length} found`,
    "",
  ].join("\n");
}

const toFindingText = ({ kind, message, shown, alone }: Found, seed: number) =>
  [
    `FOUND (${kind}, --seed ${seed}): ${message}`,
    ...(shown === "" ? [] : [`sent: ${shown}`]),
    alone === undefined ? "does not fail in isolation" : `shortest case that fails in isolation: ${alone}`,
    "",
  ].join("\n");
