import { diffLines } from "diff";
import { useState } from "preact/hooks";
import { count } from "../format.ts";
import { Button } from "./controls.tsx";

interface DifferencesProps {
  before: unknown;
  after: unknown;
  /** What the two are, as headings. */
  titles?: readonly [before: string, after: string];
}

interface Row {
  before: string | undefined;
  after: string | undefined;
  isSame: boolean;
}

type NumberedRow = Row & { line: number };

/** A side-by-side diff of two values; what differs is marked by more than its colour. */
export function Differences({ before, after, titles = ["Before", "After"] }: DifferencesProps) {
  const all = rowsOf(toText(before), toText(after)).map((row, line) => ({ ...row, line }));
  const [isWhole, setWhole] = useState(false);
  const rows = isWhole ? all : nearChanges(all);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <section class="scroll" tabIndex={0} aria-label={titles.join(" and ")}>
      <table class="differences">
        <thead>
          <tr>
            {titles.map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ line, before, after, isSame }, index) => (
            <tr key={line} class={line > (rows[index - 1]?.line ?? line) + 1 ? "gap" : undefined}>
              <td class={isSame ? undefined : "gone"}>
                {before !== undefined && (isSame ? before : <del>{before}</del>)}
              </td>
              <td class={isSame ? undefined : "new"}>
                {after !== undefined && (isSame ? after : <ins>{after}</ins>)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length < all.length && (
        <Button onClick={() => setWhole(true)}>Show all {count(all.length)} lines</Button>
      )}
    </section>
  );
}

/** How many unchanged lines are shown before and after a change. */
const CONTEXT = 2;

const nearChanges = (rows: readonly NumberedRow[]) =>
  rows.filter((_, index) =>
    rows.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ isSame }) => !isSame),
  );

const toText = (value: unknown) =>
  value === null || value === undefined ? "" : `${JSON.stringify(value, null, 2)}\n`;

/** Longer values aren't compared line by line, which would take too long. In characters. */
const LONGEST = 200_000;

/** Puts removed lines beside the added lines that replace them. */
function rowsOf(before: string, after: string): Row[] {
  if (before.length + after.length > LONGEST) return pair(linesOf(before), linesOf(after));
  const rows: Row[] = [];
  let removed: string[] = [];
  let added: string[] = [];
  const flush = () => {
    rows.push(...pair(removed, added));
    [removed, added] = [[], []];
  };
  for (const { value, added: isAdded, removed: isRemoved } of diffLines(before, after)) {
    if (isRemoved) removed = linesOf(value);
    else if (isAdded) added = linesOf(value);
    else {
      flush();
      rows.push(...linesOf(value).map((line) => ({ before: line, after: line, isSame: true })));
    }
  }
  flush();
  return rows;
}

const linesOf = (text: string) => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));

const pair = (removed: readonly string[], added: readonly string[]): Row[] =>
  Array.from({ length: Math.max(removed.length, added.length) }, (_, index) => ({
    before: removed[index],
    after: added[index],
    isSame: false,
  }));
