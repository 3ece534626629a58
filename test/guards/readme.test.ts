import assert from "node:assert/strict";
import fs from "node:fs";
import { test } from "node:test";
import { OPERATIONS } from "../../src/app.ts";
import { overview } from "../../src/cli/help.ts";
import { COMMANDS } from "../../src/cli/run.ts";
import { environmentName, SETTINGS } from "../../src/config.ts";
import { VERSION } from "../../src/version.ts";

const readme = fs.readFileSync("README.md", "utf8").replaceAll(/ +\| +/g, " | "); // cells may be padded
const manifest = JSON.parse(fs.readFileSync("package.json", "utf8"));

test("the README names every operation", () => {
  assert.deepEqual(
    OPERATIONS.map(({ method, path }) => `\`${method} ${path}\``).filter((name) => !readme.includes(name)),
    [],
  );
});

test("the README shows the help as it is; UPDATE_GOLDEN=1 writes it there", () => {
  const shown = /(?<=<!-- help -->\n```\n).*?(?=\n```\n<!-- \/help -->)/s;
  const help = overview(COMMANDS);
  if (process.env.UPDATE_GOLDEN) {
    fs.writeFileSync("README.md", fs.readFileSync("README.md", "utf8").replace(shown, help));
  } else {
    assert.equal(shown.exec(readme)?.[0], help);
  }
});

test("the README names every setting, its variable and its default", () => {
  for (const [name, { otherwise }] of Object.entries(SETTINGS)) {
    const row = readme.split("\n").find((line) => line.startsWith(`| \`--${name}\``));
    const shown = otherwise === "" ? "none" : `\`${otherwise}\``;
    assert.ok(row?.includes(`\`${environmentName(name)}\` | ${shown}`), name);
  }
});

test("the README's commands are scripts that exist", () => {
  const named = [...readme.matchAll(/npm (?:run (\w+)|(ci|test|start)\b)/g)].map(
    (match) => match[1] ?? match[2]!,
  );
  assert.deepEqual(
    named.filter((name) => name !== "ci" && !(name in manifest.scripts)),
    [],
  );
});

test("the README's folders are there", () => {
  const folders = [...readme.matchAll(/^((?:src|test|schema)[\w/.]*) {2}/gm)].map(([, name = ""]) => name);
  assert.ok(folders.length > 8);
  assert.deepEqual(
    folders.filter((name) => !fs.existsSync(name)),
    [],
  );
});

test("the program and package.json have one version", () => assert.equal(VERSION, manifest.version));
