import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";

/** Every import of every source file: `[file, imported file]`, both relative to `src`. */
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

/** Each package, with the only files that may import it at run time. */
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

test("the program imports no package that is only for development", () => {
  const { devDependencies } = JSON.parse(fs.readFileSync("package.json", "utf8"));
  const packageOf = (name: string) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? "";
  assert.deepEqual(
    offenders(
      ({ file, name, isType }) =>
        !isType && !/\.tsx?$/.test(name) && !file.startsWith("ui/") && packageOf(name) in devDependencies,
    ),
    [],
  );
});

/** The layers from top to bottom: each may use those below it, never one above. */
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

/** Shared code, which any layer may use. */
const SHARED =
  /^(auth|db|evaluation|http)\/|^transfer\/(kind|value|reference|error|warnings)\.ts$|^[\w-]+\.(ts|d\.ts)$/;

const layerOf = (file: string) => LAYERS.findIndex(([, files]) => files.test(file));

test("every file belongs to a layer", () => {
  const files = fs
    .readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file));
  assert.deepEqual(
    files.filter((file) => layerOf(file) < 0 && !SHARED.test(file) && !file.startsWith("ui/")),
    [],
  );
});

test("imports point one way: main → cli → server → surfaces → routes → delivery → changes → stores → events → shared code", () => {
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

test("only changes, require.ts and schemas are imported from another resource", () => {
  const nounOf = (file: string) => /^resources\/([\w-]+)\//.exec(file)?.[1];
  const offered = /\/(changes[\w-]*|require|schema)\.ts$/;
  const isForeign = ({ file, name }: (typeof IMPORTS)[number]) =>
    nounOf(file) !== undefined && nounOf(name) !== undefined && nounOf(file) !== nounOf(name);
  assert.deepEqual(
    offenders((one) => isForeign(one) && !one.isType && !offered.test(one.name)),
    [],
  );
});

test("the page imports only types from the server, and the server nothing from the page", () => {
  const crosses = ({ file, name }: (typeof IMPORTS)[number]) =>
    file.startsWith("ui/") !== name.startsWith("ui/") && (/\.tsx?$/.test(name) || name.startsWith("node:"));
  const isOfUi = ({ file, name }: (typeof IMPORTS)[number]) =>
    file.startsWith("ui/") || name.startsWith("ui/");
  assert.deepEqual(
    offenders((one) => isOfUi(one) && crosses(one) && !one.isType),
    [],
  );
});

test("stores know nothing of HTTP but raw JSON", () => {
  assert.deepEqual(
    offenders(
      ({ file, name }) =>
        file.endsWith("store.ts") && name.startsWith("http/") && name !== "http/raw-json.ts",
    ),
    [],
  );
});

test("schemas import no code that runs", () => {
  const allowed = /^(valibot|validation\.ts|.*schema\.ts|.*types\.ts)$/;
  assert.deepEqual(
    offenders(({ file, name }) => file.endsWith("schema.ts") && !allowed.test(name)),
    [],
  );
});

test("SQL appears only where tables are read and changed, and in authentication", () => {
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

test("only changes, events and imports start write transactions", () => {
  const users = /^(db\/group-commit|events\/write|transfer\/(import|replace-flags|trial))\.ts$/;
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
