import { setImmediate } from "node:timers/promises";
import { hashSecret } from "../access/token.ts";
import { DatasetError, type Kind, type Line } from "../dataset/kind.ts";
import { connect } from "../db/connect.ts";
import type { Database } from "../db/database.ts";
import { DataError, isSqlite } from "../db/error.ts";
import { isTooDeep, TOO_DEEP } from "../lib/limits.ts";
import { parsedJson } from "../lib/text.ts";
import { KINDS } from "../transfer/all-kinds.ts";
import { type DumpPart, dumpParts } from "./dump.ts";
import { lineOf } from "./pull-source.ts";
import tables from "./unleash.sql";

/** Rows that don't come along, and why. */
export interface LeftOut {
  table: string;
  rows: number;
  reason: string;
}

/**
 * The database of an Unleash as the lines of a dataset, from a plain dump. Its rows are kept in a temporary file until
 * all have been read, since a dump has its tables in the order of their names.
 * @param onLeftOut called once, before the first line
 * @throws DatasetError for anything other than a whole dump of an Unleash
 */
export async function* dumpLines(
  chunks: AsyncIterable<Buffer>,
  onLeftOut: (leftOut: LeftOut[]) => void,
): AsyncGenerator<Line[]> {
  const staged = openStaging();
  try {
    const stage = createStage(staged);
    for await (const parts of dumpParts(chunks)) yield parts.map(stage);
    requireUnleash(staged);
    onLeftOut(leftOut(staged));
    for (const kind of KINDS) yield* stagedLines(staged, kind);
  } finally {
    staged.close();
  }
}

/** An unnamed file of SQLite's, which it removes itself. */
function openStaging(): Database {
  const db = connect("");
  db.pragma("journal_mode = OFF");
  db.pragma("synchronous = OFF");
  db.pragma("cache_size = -2000"); // KiB: rows are written once, and read in order
  db.function("sha256", { deterministic: true }, (secret) => secret && hashSecret(secret as string));
  db.function(
    "verified",
    { deterministic: true },
    (verifier) => verifier && Buffer.from(verifier as string, "base64url").toString("hex"),
  );
  db.exec(tables);
  db.exec("BEGIN"); // each row would be a transaction of its own
  return db;
}

/** How a cell is kept, by the type of its column. @throws Error saying what it must be */
const CONVERTED: Readonly<Record<string, (cell: string) => string | number>> = {
  TEXT: (cell) => cell,
  INTEGER: (cell) => (/^-?\d{1,18}$/.test(cell) ? cell : refuse("must be a whole number")),
  BOOLEAN: (cell) => (/^t(rue)?$/.test(cell) ? 1 : /^f(alse)?$/.test(cell) ? 0 : refuse("must be t or f")),
  TIME: (cell) => toTime(cell) ?? refuse("must be a time"),
  JSON(cell) {
    const value = parsedJson(cell);
    if (value === undefined) refuse("must be JSON");
    return isTooDeep(value) ? refuse(TOO_DEEP) : cell;
  },
};

function refuse(what: string): never {
  throw new Error(what);
}

/**
 * A time that PostgreSQL reads, in UTC unless it says otherwise: `2026-11-23 03:25:50.086857+00`. One that is too early or
 * too late for us, such as `infinity`, becomes the first or the last that we know.
 */
function toTime(cell: string): string | undefined {
  if (/^-infinity$| BC$/.test(cell)) return "0000-01-01T00:00:00.000Z";
  if (/^infinity$|^\d{5,}-/.test(cell)) return "9999-12-31T23:59:59.999Z";
  const [, day, time = "00:00", zone = "Z"] =
    /^(\d{4}-\d\d-\d\d)(?:[ T]([\d:.]+))?(Z|[+-][\d:]+)?$/.exec(cell) ?? [];
  const date = new Date(`${day}T${time}${/^[+-]\d\d$/.test(zone) ? `${zone}:00` : zone}`);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

interface Target {
  name: string;
  /** The number of cells that a row has. */
  width: number;
  insert?: (row: number, cells: ReadonlyArray<string | null>) => void;
}

/** Keeps each part of a dump; what can't be kept is a line that says why. */
function createStage(staged: Database): (part: DumpPart) => Line {
  let table: Target = { name: "", width: 0 };
  const seen = staged.prepare("INSERT OR IGNORE INTO tables_seen (name) VALUES (:name)");
  const begin = ({ name }: { name: string }) => {
    if (seen.run({ name }).changes > 0) return;
    throw new DatasetError({ table: name, row: 1 }, TWICE);
  };
  const sequence = staged.prepare("INSERT INTO sequences (name, last) VALUES (:name, :last)");
  const countOther = staged.prepare("UPDATE tables_seen SET rows = rows + 1 WHERE name = :name");
  return (part) => {
    if (part.kind === "sequence") sequence.run({ name: part.name, last: part.last });
    else if (part.kind === "table") {
      begin(part);
      table = targetFor(staged, part);
    } else return keepRow(part);
    return KEPT;
  };

  function keepRow({ row, cells }: DumpPart & { kind: "row" }): Line {
    if (!table.insert) return countOther.run({ name: table.name }) && KEPT;
    const problem = problemIn(table, cells);
    try {
      if (problem !== undefined) refuse(problem);
      table.insert(row, cells);
      return KEPT;
    } catch (error) {
      if (isSqlite(error, "SQLITE_FULL", "SQLITE_IOERR")) throw new DataError(FULL);
      const isTwice = isSqlite(error, "SQLITE_CONSTRAINT");
      return refusal(table.name, row, isTwice ? "has the id of another row" : (error as Error).message);
    }
  }
}

const FULL = "The temporary folder, where a copy of the dump is kept, is full: set TMPDIR to another";

const TWICE =
  "the dump has this table a second time: make it of one database (pg_dump, not pg_dumpall), and of one schema (-n)";

const KEPT: Line = { place: { line: 0 }, read: () => undefined };

const refusal = (table: string, row: number, reason: string): Line => {
  const place = { table, row };
  return {
    place,
    read() {
      throw new DatasetError(place, reason);
    },
  };
};

function problemIn({ width }: Target, cells: ReadonlyArray<string | null>): string | undefined {
  if (cells.length !== width) return `has ${cells.length} columns, not ${width}`;
  return cells.some((cell) => cell?.includes("\0")) ? "has a NUL character" : undefined;
}

const columnsOf = (staged: Database, table: string) =>
  new Map(
    staged
      .prepare<[string], { name: string; type: string }>("SELECT name, type FROM pragma_table_info(?)")
      .all(table)
      .map(({ name, type }) => [name, type]),
  );

function targetFor(staged: Database, { name, columns }: DumpPart & { kind: "table" }): Target {
  const known = columnsOf(staged, name);
  const width = columns.length;
  if (known.size === 0 || OWN.has(name)) return { name, width };
  const kept = columns.flatMap((column, index) => {
    const convert = CONVERTED[known.get(column) ?? ""];
    return convert ? [{ column, index, convert }] : [];
  });
  const names = [known.has("row") ? `"row"` : "rowid", ...kept.map(({ column }) => `"${column}"`)];
  const insert = staged.prepare(`INSERT INTO "${name}" (${names}) VALUES (${names.map(() => "?")})`);
  return {
    name,
    width,
    insert(row, cells) {
      const values = kept.map(({ column, index, convert }) => {
        const cell = cells[index]!;
        try {
          return cell === null ? null : convert(cell);
        } catch (error) {
          throw new Error(`${column}: ${(error as Error).message}`);
        }
      });
      insert.run(row, ...values);
    },
  };
}

/** Tables that a dump doesn't have. */
const OWN = new Set(["reasons", "sequences", "tables_seen"]);

/** Without these tables it is another program's database. */
const TABLES = ["users", "projects", "environments", "features", "feature_strategies", "events"];

function requireUnleash(staged: Database) {
  const missing = TABLES.find(
    (name) => !staged.prepare(`SELECT 1 FROM tables_seen WHERE name = ?`).get(name),
  );
  if (missing === undefined) return;
  throw new DatasetError(
    { line: 1 },
    `this is not the whole database of an Unleash: it lacks the table ${missing}`,
  );
}

const leftOut = (staged: Database) =>
  staged.prepare<[], LeftOut>(`SELECT "table", rows, reason FROM left_out ORDER BY reason, "table"`).all();

/** How many lines are passed on at a time. */
const BATCH = 200;

async function* stagedLines(staged: Database, kind: Kind): AsyncGenerator<Line[]> {
  if (!staged.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'view' AND name = ?").get(kind.name)) return;
  let lines: Line[] = [];
  const rows = staged.prepare<[], StagedRow>(`SELECT * FROM "${kind.name}"`).iterate();
  for (const { table, row, ...keys } of rows) {
    lines.push(lineOf(kind, keys, { table, row }));
    if (lines.length < BATCH) continue;
    yield lines;
    lines = [];
    await setImmediate(); // so that signals are noticed
  }
  yield lines;
}

interface StagedRow {
  table: string;
  row: number;
}
