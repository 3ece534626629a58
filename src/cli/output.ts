import { printable } from "../lib/text.ts";
import type { ImportCounts } from "../transfer/import.ts";
import type { Context } from "./command.ts";

/** The noun in singular or plural: `line`, `lines`. */
const plural = (count: number, noun: string) => (count === 1 ? noun : `${noun}s`);

/** The count with its noun: `1 line`, `2 lines`. */
export const counted = (count: number, noun: string) => `${count} ${plural(count, noun)}`;

export const total = (counts: ImportCounts) => Object.values(counts).reduce((sum, count) => sum + count, 0);

export function printCounts(print: Context["print"], counts: ImportCounts) {
  for (const [kind, count] of Object.entries(counts)) print(`${String(count).padStart(9)} ${kind}`);
}

/** Formats rows as aligned columns with headings; a missing value becomes a dash. */
export function table(
  rows: ReadonlyArray<Record<string, string | number | null>>,
  names: string[],
): string[] {
  const cells = rows.map((row) => names.map((name) => printable(String(row[name] ?? "-"))));
  const lines = [names, ...cells];
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join("  ")
      .trimEnd(),
  );
}

type Shown = Pick<Context, "world" | "config">;

const isShown = ({ world, config }: Shown) => world.stderr.isTTY && !config.quiet;

/** Shows the number of lines read on a terminal, several times per second. */
export function progressOn(context: Shown): (lines: number) => void {
  if (!isShown(context)) return () => {};
  let shownAt = 0;
  return (lines) => {
    if (Date.now() - shownAt < 200) return;
    shownAt = Date.now();
    context.world.stderr.write(`\r${lines.toLocaleString("en")} ${plural(lines, "line")} read`);
  };
}

/** Clears the progress from the terminal. */
export function endProgress(context: Shown) {
  if (isShown(context)) context.world.stderr.write("\r\u001b[K");
}
