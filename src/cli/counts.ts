import type { ImportCounts } from "../transfer/import.ts";
import type { Context } from "./command.ts";

export const total = (counts: ImportCounts) => Object.values(counts).reduce((sum, count) => sum + count, 0);

export function printCounts(print: Context["print"], counts: ImportCounts) {
  for (const [kind, count] of Object.entries(counts)) print(`${String(count).padStart(9)} ${kind}`);
}
