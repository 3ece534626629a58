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
  [/^h3(\/|$)/, /^(http|server|sign-in)\//],
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

/** The folders of `src` from bottom to top: each stands on those before it, and knows none after it. */
const DOMAINS = [
  "lib",
  "evaluation",
  "db",
  "access",
  "events",
  "http",
  "dataset",
  "log",
  "settings",
  "people",
  "sign-in",
  "projects",
  "flags",
  "applications",
  "integrations",
  "overview",
  "change-requests",
  "undo",
  "flags-as-text",
  "transfer",
  "unleash",
  "history",
  "demo",
  "server",
  "edge",
  "cli",
  "main.ts",
];

const domainOf = (file: string) => file.split("/")[0]!;
const heightOf = (file: string) => DOMAINS.indexOf(domainOf(file));
const isOfUi = (file: string) => file.startsWith("ui/");

test("every file is in a domain", () => {
  const files = fs
    .readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file) && !isOfUi(file));
  assert.deepEqual(
    files.filter((file) => heightOf(file) < 0 && file !== "sql.d.ts"),
    [],
  );
});

test("no domain imports one that stands on it, not even a type", () => {
  assert.deepEqual(
    offenders(({ file, name }) => !isOfUi(file) && /\.ts$/.test(name) && heightOf(name) > heightOf(file)),
    [],
  );
});

test("no domain is empty, and none is missing from the list", () => {
  const folders = fs.readdirSync("src").filter((name) => name !== "ui" && name !== "sql.d.ts");
  assert.deepEqual(folders.toSorted(), DOMAINS.toSorted());
});

test("no files import each other, however far around", () => {
  const importsOf = Map.groupBy(
    IMPORTS.filter(({ name }) => /\.tsx?$/.test(name)),
    ({ file }) => file,
  );
  const reached = (from: string) => {
    const files = new Set([from]);
    for (const file of files) for (const { name } of importsOf.get(file) ?? []) files.add(name);
    return files;
  };
  const reaches = new Map([...importsOf.keys()].map((file) => [file, reached(file)]));
  assert.deepEqual(
    offenders(({ file, name }) => file !== name && reaches.get(name)?.has(file) === true),
    [],
  );
});

test("the page imports only types from the server, and the server nothing from the page", () => {
  const crosses = ({ file, name }: (typeof IMPORTS)[number]) =>
    file.startsWith("ui/") !== name.startsWith("ui/") && (/\.tsx?$/.test(name) || name.startsWith("node:"));
  assert.deepEqual(
    offenders((one) => (isOfUi(one.file) || isOfUi(one.name)) && crosses(one) && !one.isType),
    [],
  );
});

test("only requests, events and imports start write transactions", () => {
  const users = /^(db\/group-commit|events\/write|transfer\/(import|replace-flags|trial))\.ts$/;
  assert.deepEqual(
    offenders(({ file, name, isType }) => name === "db/transaction.ts" && !isType && !users.test(file)),
    [],
  );
});

test("every file that declares operations is served", () => {
  const served = IMPORTS.filter(({ file }) => file === "server/operations.ts").map(({ name }) => name);
  const declaring = fs
    .readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !isOfUi(file))
    .filter((file) =>
      /^export const \w+ = (GET|POST|PUT|PATCH|DELETE)\(/m.test(
        fs.readFileSync(path.join("src", file), "utf8"),
      ),
    );
  assert.ok(declaring.length > 10);
  assert.deepEqual(
    declaring.filter((file) => !served.includes(file)),
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
