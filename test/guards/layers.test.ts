import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";

/** Every import of every source file: `[file, what it imports]`, both from `src`. */
const IMPORTS = fs
  .readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file))
  .flatMap((file) =>
    [
      ...fs
        .readFileSync(path.join("src", file), "utf8")
        .matchAll(/^(?:import|\} from|export .* from).*?"(.+)";$/gm),
    ].map(([line, name = ""]) => ({
      file,
      name: name.startsWith(".") ? path.join(path.dirname(file), name) : name,
      isType: line.startsWith("import type"),
    })),
  );

const offenders = (isWrong: (one: (typeof IMPORTS)[number]) => boolean) =>
  IMPORTS.filter(isWrong).map(({ file, name }) => `${file} imports ${name}`);

/** A package and the only files that may run it. */
const OWNERS: Array<[name: RegExp, owner: RegExp]> = [
  [/^better-sqlite3$/, /^db\//],
  [/^h3(\/|$)/, /^(http|server)\//],
];

for (const [name, owner] of OWNERS) {
  test(`only ${owner} imports ${name}`, () => {
    assert.ok(
      IMPORTS.some((one) => name.test(one.name)),
      "it is imported at all",
    );
    assert.deepEqual(
      offenders((one) => name.test(one.name) && !owner.test(one.file) && !one.isType),
      [],
    );
  });
}

/** The rooms from the street to the cellar: each may use those below it, never one above. */
const LAYERS: ReadonlyArray<[name: string, files: RegExp]> = [
  ["main", /^main\.ts$/],
  ["cli", /^cli\//],
  ["server", /^server\//],
  ["surfaces", /^surfaces\.ts$/],
  ["transfer and demo", /^(transfer\/(?!(kind|value|reference|error|warnings)\.)|demo\/)/],
  ["routes", /^resources\/[\w-]+\/routes[\w-]*\.ts$/],
  ["dataset", /^resources\/[\w-]+\/dataset[\w-]*\.ts$/],
  ["delivery", /^delivery\//],
  ["changes", /^resources\/[\w-]+\/changes[\w-]*\.ts$/],
  ["stores", /^resources\/[\w-]+\/[\w-]+\.ts$/],
  ["events", /^events\//],
];

/** What any of them may use. */
const SHARED =
  /^(auth|db|evaluation|http)\/|^transfer\/(kind|value|reference|error|warnings)\.ts$|^[\w-]+\.(ts|d\.ts)$/;

const layerOf = (file: string) => LAYERS.findIndex(([, files]) => files.test(file));

test("every file has its place", () => {
  const files = fs
    .readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file));
  assert.deepEqual(
    files.filter((file) => layerOf(file) < 0 && !SHARED.test(file) && !file.startsWith("ui/")),
    [],
  );
});

test("nothing points back: main → cli → server → surfaces → routes → delivery → changes → stores → events → the shared ones", () => {
  const pointsBack = ({ file, name }: (typeof IMPORTS)[number]) => {
    const [from, to] = [layerOf(file), layerOf(name)];
    return to >= 0 && (from < 0 || to < from);
  };
  const backward = IMPORTS.filter((one) => pointsBack(one) && !one.isType);
  assert.deepEqual(
    backward.map(({ file, name }) => `${file} imports ${name}`),
    [],
  );
});

test("of another noun only what it offers is imported: its changes, what it requires, its schemas", () => {
  const nounOf = (file: string) => /^resources\/([\w-]+)\//.exec(file)?.[1];
  const offered = /\/(changes[\w-]*|require|schema)\.ts$/;
  const isForeign = ({ file, name }: (typeof IMPORTS)[number]) =>
    nounOf(file) !== undefined && nounOf(name) !== undefined && nounOf(file) !== nounOf(name);
  assert.deepEqual(
    offenders((one) => isForeign(one) && !one.isType && !offered.test(one.name)),
    [],
  );
});

test("what runs in the browser uses nothing of the server but types, and the server nothing of it", () => {
  const crosses = ({ file, name }: (typeof IMPORTS)[number]) =>
    file.startsWith("ui/") !== name.startsWith("ui/") && (/\.tsx?$/.test(name) || name.startsWith("node:"));
  const isOfUi = ({ file, name }: (typeof IMPORTS)[number]) =>
    file.startsWith("ui/") || name.startsWith("ui/");
  assert.deepEqual(
    offenders((one) => isOfUi(one) && crosses(one) && !one.isType),
    [],
  );
});

test("a store knows nothing of HTTP but raw JSON", () => {
  assert.deepEqual(
    offenders(
      ({ file, name }) =>
        file.endsWith("store.ts") && name.startsWith("http/") && name !== "http/raw-json.ts",
    ),
    [],
  );
});

test("a schema imports nothing that runs", () => {
  const allowed = /^(valibot|validation\.ts|.*schema\.ts|.*types\.ts)$/;
  assert.deepEqual(
    offenders(({ file, name }) => file.endsWith("schema.ts") && !allowed.test(name)),
    [],
  );
});

test("SQL stands where tables are read and changed, and beside the credential; nowhere else", () => {
  const owners =
    /^resources\/[\w-]+\/([\w-]*store|changes[\w-]*|require|dataset[\w-]*|text-search)\.ts$|^events\/|^auth\/|^db\/known|^transfer\/untouched/;
  assert.deepEqual(
    offenders(({ file, name, isType }) => name === "db/statement.ts" && !isType && !owners.test(file)).filter(
      (line) => {
        const [file = ""] = line.split(" ");
        return /\b(query|command|bookkeeping)</.test(fs.readFileSync(path.join("src", file), "utf8"));
      },
    ),
    [],
  );
});

test("only changes with their events and imports begin to write", () => {
  const users = /^(db\/group-commit|events\/write|transfer\/(import|replant|trial))\.ts$/;
  assert.deepEqual(
    offenders(({ file, name, isType }) => name === "db/transaction.ts" && !isType && !users.test(file)),
    [],
  );
});

test("only main touches the process", () => {
  const users = fs
    .readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && file !== "main.ts")
    .filter((file) =>
      /\bprocess\.(env|argv|exit|on|once|std)/.test(fs.readFileSync(path.join("src", file), "utf8")),
    );
  assert.deepEqual(users, []);
});
