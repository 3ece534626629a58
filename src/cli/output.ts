import { toJson } from "../lib/raw-json.ts";
import { printable } from "../lib/text.ts";
import type { ImportCounts } from "../transfer/import.ts";
import type { Left } from "../unleash/outgoing-lines.ts";
import type { Context, JSON_OPTION } from "./command.ts";

/** The noun in singular or plural: `line`, `lines`. */
const plural = (count: number, noun: string) => (count === 1 ? noun : `${noun}s`);

/** The count with its noun: `1 line`, `2 lines`. */
export const counted = (count: number, noun: string) => `${count} ${plural(count, noun)}`;

export const total = (counts: ImportCounts) => Object.values(counts).reduce((sum, count) => sum + count, 0);

export function printCounts(print: Context["print"], counts: ImportCounts) {
  for (const [kind, count] of Object.entries(counts)) print(`${String(count).padStart(9)} ${kind}`);
}

type Printing = Pick<Context<typeof JSON_OPTION>, "options" | "print">;

/** Prints a result as JSON if requested, and otherwise in words. */
export const printResult = ({ options, print }: Printing, result: unknown, words: string) =>
  print(options.json ? toJson(result) : words);

/** Prints a list as JSON if requested, and otherwise these columns of its rows; a missing value is a dash. */
export function printList(
  { options, print }: Printing,
  list: readonly object[],
  columns: readonly string[],
  rows: readonly object[] = list,
) {
  if (options.json) return print(toJson(list));
  const cells = rows.map((row) =>
    columns.map((name) => printable(String((row as Record<string, unknown>)[name] ?? "-"))),
  );
  const lines = [columns, ...cells];
  const widths = columns.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  for (const line of lines)
    print(
      line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join("  ")
        .trimEnd(),
    );
}

type Shown = Pick<Context, "world" | "config">;

const isShown = ({ world, config }: Shown) => world.stderr.isTTY && !config.quiet;

/** Shows the number of lines read on a terminal. */
export function progressOn(context: Shown): (lines: number) => void {
  const show = progressTextOn(context);
  return (lines) => show(`${lines.toLocaleString("en")} ${plural(lines, "line")} read`);
}

/** Shows how far a command is on a terminal, several times per second. */
export function progressTextOn(context: Shown): (text: string) => void {
  let shownAt = 0;
  return (text) => {
    if (!isShown(context) || Date.now() - shownAt < 200) return;
    shownAt = Date.now();
    context.world.stderr.write(`\r${text}`);
  };
}

/** Clears the progress from the terminal. */
export function endProgress(context: Shown) {
  if (isShown(context)) context.world.stderr.write("\r\u001b[K");
}

/** What the other side will lack, with each thing that someone has to do something about on a line of its own. */
export function logLeft({ log }: Pick<Context, "log">, left: readonly Left[]) {
  for (const { kind, reason, count, names } of left) {
    log({ level: "warn", message: `${counted(count, kind)}: ${reason}`, kind, count });
    for (const name of names) log({ level: "warn", message: `  ${printable(name)}`, kind, name });
  }
}
