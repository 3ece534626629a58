/*
 * Rows as PostgreSQL's COPY reads them: a line each, with tabs between the cells.
 */

/** A row by its columns, in camel case. Objects and lists become JSON; null and undefined become NULL. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * A table's rows as a `COPY` statement with its data; nothing if there are none. The first row has all columns.
 * @param onReplaced called for each cell that contains what PostgreSQL can't store
 */
export function* copyOf(table: string, rows: Iterable<Row>, onReplaced: () => void): Generator<string> {
  let keys: string[] | undefined;
  for (const row of rows) {
    if (keys === undefined) {
      keys = Object.keys(row);
      yield `COPY ${table} (${keys.map(toColumn).join(", ")}) FROM stdin;\n`;
    }
    yield `${keys.map((key) => toCell(row[key], onReplaced)).join("\t")}\n`;
  }
  if (keys !== undefined) yield "\\.\n\n";
}

const toColumn = (key: string) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };

function toCell(value: unknown, onReplaced: () => void): string {
  if (value === null || value === undefined) return "\\N";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  const storable = typeof value === "object" ? storableJson(text) : storableText(text);
  if (storable !== text) onReplaced();
  return storable.replace(/[\\\t\n\r]/g, (character) => ESCAPES[character]!);
}

/** In place of NUL and of half a surrogate pair, which PostgreSQL refuses. */
const REPLACEMENT = "\ufffd";

const storableText = (text: string) => text.toWellFormed().replaceAll("\0", REPLACEMENT);

/** Both are escaped in JSON text. An escaped backslash is passed over, so that what follows it is not taken for one. */
const storableJson = (json: string) =>
  /\\u(0000|d)/.test(json)
    ? json.replace(/\\(u0000|ud[89a-f]..|.)/g, (all, what: string) => (what.length > 1 ? REPLACEMENT : all))
    : json;
