import type { Found } from "./rounds.ts";

export interface Report {
  seed: number;
  executable: string;
  seconds: number;
  /** Cases by kind, answers by status. */
  counts: Record<string, number>;
  /** Of the plain questions on new connections, in milliseconds. */
  slowest: number;
  /** Of the server at the end, in bytes; undefined where the system does not tell. */
  memory: number | undefined;
  found: Found[];
}

/** The result for a person. */
export function toText({ seed, executable, seconds, counts, slowest, memory, found }: Report): string {
  const list = Object.entries(counts).map(([name, count]) => `${count} × ${name}`);
  return [
    ...found.map((one) => `${toFindingText(one, seed)}\n`),
    `seed ${seed}, ${executable}, ${Math.round(seconds)} s`,
    `cases and answers: ${list.join(", ")}`,
    `slowest plain answer meanwhile: ${Math.round(slowest)} ms`,
    ...(memory === undefined ? [] : [`memory at the end: ${Math.round(memory / 1e6)} MB`]),
    found.length === 0 ? "nothing found" : `${found.length} found`,
    "",
  ].join("\n");
}

const toFindingText = ({ kind, message, shown, alone }: Found, seed: number) =>
  [
    `FOUND (${kind}, --seed ${seed}): ${message}`,
    ...(shown === "" ? [] : [`sent: ${shown}`]),
    alone === undefined ? "not seen with nothing else going on" : `the shortest that fails alone: ${alone}`,
    "",
  ].join("\n");
