import { diffLines } from "diff";

interface DifferencesProps {
  before: unknown;
  after: unknown;
}

interface Row {
  before: string | undefined;
  after: string | undefined;
  isSame: boolean;
}

/** Two values side by side, line by line; what differs is marked by more than its colour. */
export function Differences({ before, after }: DifferencesProps) {
  const rows = rowsOf(toText(before), toText(after));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section class="scroll" tabIndex={0} aria-label="Before and after">
      <table class="differences">
        <thead>
          <tr>
            <th scope="col">Before</th>
            <th scope="col">After</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ before, after, isSame }, index) => (
            <tr key={index}>
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
    </section>
  );
}

const toText = (value: unknown) =>
  value === null || value === undefined ? "" : `${JSON.stringify(value, null, 2)}\n`;

/** Longer ones are not compared line by line, which would take too long. In characters. */
const LONGEST = 200_000;

/** What was taken away stands beside what came for it. */
function rowsOf(before: string, after: string): Row[] {
  if (before.length + after.length > LONGEST) return pair(linesOf(before), linesOf(after));
  const rows: Row[] = [];
  let gone: string[] = [];
  let fresh: string[] = [];
  const flush = () => {
    rows.push(...pair(gone, fresh));
    [gone, fresh] = [[], []];
  };
  for (const { value, added, removed } of diffLines(before, after)) {
    if (removed) gone = linesOf(value);
    else if (added) fresh = linesOf(value);
    else {
      flush();
      rows.push(...linesOf(value).map((line) => ({ before: line, after: line, isSame: true })));
    }
  }
  flush();
  return rows;
}

const linesOf = (text: string) => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));

const pair = (gone: readonly string[], fresh: readonly string[]): Row[] =>
  Array.from({ length: Math.max(gone.length, fresh.length) }, (_, index) => ({
    before: gone[index],
    after: fresh[index],
    isSame: false,
  }));
