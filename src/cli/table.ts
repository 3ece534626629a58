/** Rows as aligned columns under their names, for a person to read; an absent value is a dash. */
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

/** A name may hold anything; a line end or an escape sequence of a terminal is shown, not done. */
const printable = (text: string) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are meant
  text.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]/g, (character) => JSON.stringify(character).slice(1, -1));
