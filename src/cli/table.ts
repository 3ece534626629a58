import { printable } from "../lib/printable.ts";

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
