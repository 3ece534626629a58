import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { DatasetError, type Place } from "../dataset/kind.ts";
import { binaryFormat, textLines } from "../dataset/text.ts";

/** What a dump says of its data, in the order of the file. */
export type DumpPart =
  | { kind: "table"; name: string; columns: string[] }
  /** A row of the table before it; a cell is null for NULL. Rows of a table are counted from 1. */
  | { kind: "row"; row: number; cells: Array<string | null> }
  /** The last value that a sequence gave. */
  | { kind: "sequence"; name: string; last: number };

const COPY = /^COPY (?:\S+?\.)?"?(\w+)"? \((.*)\) FROM stdin;$/;
const SETVAL = /^SELECT pg_catalog\.setval\('(?:[^']*?\.)?"?(\w+)"?', (\d+), (true|false)\);$/;
const ENCODING = /^SET client_encoding = '(.*)';$/;
/** The last line of a dump. */
export const END = "-- PostgreSQL database dump complete";

/**
 * Reads a plain dump of PostgreSQL's `pg_dump`, packed by gzip or not, one chunk's worth at a time.
 * @throws DatasetError for another format, saying what to do, and for a dump that was cut short
 */
export async function* dumpParts(chunks: AsyncIterable<Buffer>): AsyncGenerator<DumpPart[]> {
  const found = { copy: false, inserts: false, end: false };
  let table: { name: string; rows: number } | undefined;
  let last = 0;
  const toPart = (text: string): DumpPart | undefined => {
    if (table && text !== "\\.") return rowOf(text, ++table.rows);
    const part = table ? undefined : statementPart(text, last);
    table = part?.kind === "table" ? { name: part.name, rows: 0 } : undefined;
    found.copy ||= part?.kind === "table";
    found.inserts ||= text.startsWith("INSERT INTO ");
    found.end ||= text === END;
    return part;
  };
  for await (const lines of textLines(unpacked(chunks))) {
    const parts: DumpPart[] = [];
    for (const { number, text, isCut } of lines) {
      last = number;
      const part = table && isCut ? undefined : toPart(text);
      if (part) parts.push(part);
    }
    yield parts;
  }
  if (table) throw new DatasetError({ table: table.name, row: table.rows + 1 }, CUT);
  if (last === 0) throw new DatasetError(BEGIN, "the file is empty");
  const lack = lackOf(found);
  if (lack !== undefined) throw new DatasetError({ line: last }, lack);
}

const rowOf = (text: string, row: number): DumpPart => ({
  kind: "row",
  row,
  cells: text.split("\t").map(toCell),
});

/** What a statement outside of a table's rows says, if that matters. @throws DatasetError for an encoding */
function statementPart(text: string, line: number): DumpPart | undefined {
  const [, name, columns = ""] = COPY.exec(text) ?? [];
  if (name !== undefined) return { kind: "table", name, columns: columns.replaceAll('"', "").split(", ") };
  const [, sequence, value, isGiven] = SETVAL.exec(text) ?? [];
  if (sequence !== undefined)
    return { kind: "sequence", name: sequence, last: Number(value) - (isGiven === "true" ? 0 : 1) };
  const encoding = ENCODING.exec(text)?.[1] ?? "UTF8";
  if (!/^(UTF8|SQL_ASCII)$/.test(encoding))
    throw new DatasetError({ line }, `the dump is in ${encoding}: make it with pg_dump -E UTF8`);
  return undefined;
}

const CUT = "the dump ends here: it was cut short";

/** Why it can't be read to its end, and what to do. */
function lackOf({ copy, inserts, end }: Record<"copy" | "inserts" | "end", boolean>): string | undefined {
  if (inserts && !copy)
    return "the dump has INSERT statements: make it without --inserts, --column-inserts and --rows-per-insert";
  if (!copy && !end)
    return "this is not a plain dump of PostgreSQL, which pg_dump writes; maybe it is a dataset";
  if (!copy) return "the dump has no data: make it without --schema-only";
  return end ? undefined : CUT;
}

const ESCAPED: Readonly<Record<string, string>> = {
  "\\b": "\b",
  "\\f": "\f",
  "\\n": "\n",
  "\\r": "\r",
  "\\t": "\t",
  "\\v": "\v",
};

/** Bytes by their number, octal or hexadecimal, and other escapes. */
const ESCAPES = /(?:\\[0-7]{1,3}|\\x[\da-f]{1,2})+|\\./gis;

function toCell(text: string): string | null {
  if (text === "\\N") return null;
  return text.includes("\\") ? text.replaceAll(ESCAPES, unescaped) : text;
}

function unescaped(escapes: string): string {
  if (!/^\\[0-7x]/i.test(escapes) || /^\\x$/i.test(escapes)) return ESCAPED[escapes] ?? escapes.slice(1);
  const numbers = escapes.split("\\").slice(1);
  return Buffer.from(
    numbers.map((one) => Number.parseInt(one.replace(/^x/i, ""), /^x/i.test(one) ? 16 : 8)),
  ).toString();
}

/** The bytes, unpacked if they are packed by gzip. @throws DatasetError for a packed dump that was cut short, or damaged */
export async function* unpacked(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const iterator = chunks[Symbol.asyncIterator]();
  const { value: first = Buffer.alloc(0) } = await iterator.next();
  const all = joined(first, iterator);
  const isPacked = first.toString("latin1", 0, 2) === "\u001f\u008b";
  const other = isPacked ? undefined : binaryFormat(first);
  if (other !== undefined) throw new DatasetError(BEGIN, other);
  if (!isPacked) return yield* all;
  const gunzip = createGunzip();
  const flow = pipeline(Readable.from(all), gunzip);
  flow.catch(() => {}); // reading gives the same error
  try {
    yield* gunzip;
  } catch (error) {
    if (!String((error as NodeJS.ErrnoException).code).startsWith("Z_")) throw error;
    throw new DatasetError(BEGIN, "the gzip file is damaged, or was cut short");
  }
}

const BEGIN: Place = { line: 1 };

async function* joined(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}
