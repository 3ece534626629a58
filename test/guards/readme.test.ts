import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { REFERENCES } from "../../scripts/reference.ts";
import { environmentName, SETTINGS, type Setting, VARIABLES } from "../../src/cli/config.ts";
import { EXIT_MEANINGS, overview } from "../../src/cli/help.ts";
import { COMMANDS } from "../../src/cli/run.ts";
import { VERSION } from "../../src/lib/version.ts";

const manifest = JSON.parse(fs.readFileSync("package.json", "utf8"));

/** The documentation: the pages at the root and all of `docs`, by path. */
const PAGES = new Map(
  [...fs.readdirSync("."), ...fs.readdirSync("docs").map((name) => `docs/${name}`)]
    .filter((name) => name.endsWith(".md"))
    .map((name) => [name, fs.readFileSync(name, "utf8")]),
);

/** A page, with its tables' cells unpadded. */
const page = (name: string) => PAGES.get(name)!.replaceAll(/ +\| +/g, " | ");

/** Literal text, such as code. */
const withoutCode = (text: string) => text.replaceAll(/^ *```.*?^ *```$/gms, "").replaceAll(/`[^`\n]*`/g, "");

test("the README has fewer than 700 words", () => {
  const words = PAGES.get("README.md")!
    .split(/\s+/)
    .filter((word) => /\w/.test(word));
  assert.ok(words.length < 700, String(words.length));
});

for (const [name, text] of PAGES) {
  test(`every local link of ${name} leads somewhere`, () => {
    const links = [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
    const isBroken = (link: string) => {
      const [target = "", anchor] = link.split("#");
      const file = target === "" ? name : path.join(path.dirname(name), target);
      if (!fs.existsSync(file)) return true;
      return anchor !== undefined && !anchorsOf(fs.readFileSync(file, "utf8")).includes(anchor);
    };
    assert.deepEqual(links.filter((link) => !/^\w+:/.test(link)).filter(isBroken), []);
  });
}

/** The anchors of the headings. */
const anchorsOf = (text: string) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, "")
      .replaceAll(" ", "-"),
  );

test("the README links to the index of docs, and that to every page", () => {
  assert.ok(PAGES.get("README.md")!.includes("](docs/README.md)"));
  const index = PAGES.get("docs/README.md")!;
  const isLinked = (name: string) => index.includes(`](${path.relative("docs", name)})`);
  assert.deepEqual(
    [...PAGES.keys()].filter((name) => name !== "docs/README.md" && !isLinked(name)),
    [],
  );
});

test("the README's commands of npm exist in a fresh checkout", () => {
  assert.match(PAGES.get("README.md")!, /^npm ci && npm run demo .*\nnpm cit /m); // cit: install from the lock, test
});

test("every npm script named in the documentation exists", () => {
  for (const [name, text] of PAGES) {
    const named = [...text.matchAll(/npm (?:run (\w+)|(cit|ci|test|start)\b)/g)].map(
      (match) => match[1] ?? match[2]!,
    );
    assert.deepEqual(
      named.filter((script) => !["ci", "cit"].includes(script) && !(script in manifest.scripts)),
      [],
      name,
    );
  }
});

test("docs/operating.md shows the current help; UPDATE_GOLDEN=1 updates it", () => {
  const shown = /(?<=<!-- help -->\n```\n).*?(?=\n```\n<!-- \/help -->)/s;
  const text = PAGES.get("docs/operating.md")!;
  const help = overview(COMMANDS);
  if (process.env.UPDATE_GOLDEN)
    fs.writeFileSync(
      "docs/operating.md",
      text.replace(shown, () => help),
    );
  else assert.equal(shown.exec(text)?.[0], help);
});

test("docs/operating.md names every setting, its variable and its default", () => {
  const rows = page("docs/operating.md").split("\n");
  for (const [name, { hint, default: preset = hint === undefined ? "false" : "" }] of Object.entries<Setting>(
    SETTINGS,
  )) {
    const row = rows.find((line) => line.startsWith(`| \`--${name}\``));
    const shown = preset === "" ? "none" : `\`${preset}\``;
    assert.ok(row?.includes(`\`${environmentName(name)}\` | ${shown}`), name);
  }
});

test("docs/operating.md names every other variable and every exit code", () => {
  const rows = page("docs/operating.md").split("\n");
  const codes = EXIT_MEANINGS.map(([code, meaning]) => `| ${code} | ${meaning}`);
  const variables = Object.keys(VARIABLES).map((name) => `| \`${name}\` | `);
  assert.deepEqual(
    [...codes, ...variables].filter((beginning) => !rows.some((row) => row.startsWith(beginning))),
    [],
  );
});

for (const [name, write] of Object.entries(REFERENCES)) {
  test(`${name} is up to date; npm run docs updates it`, () => {
    assert.equal(PAGES.get(name), write());
  });
}

test("the folders named in CONTRIBUTING.md exist", () => {
  const listed = /(?<=^```\n)schema\.sql.*?(?=^```$)/ms.exec(PAGES.get("CONTRIBUTING.md")!)![0];
  const folders = listed
    .trim()
    .split("\n")
    .filter((line) => !line.startsWith(" "))
    .map((line) => line.split(" ")[0]!);
  assert.ok(folders.length > 8);
  assert.deepEqual(
    folders.filter((name) => !fs.existsSync(name)),
    [],
  );
});

test("the program, package.json and CHANGELOG.md have the same version", () => {
  assert.equal(VERSION, manifest.version);
  assert.ok(PAGES.get("CHANGELOG.md")!.includes(`\n## [${VERSION}] - `));
});
