import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { everyKey, toText } from "./examples.ts";
import { refused } from "./importing.ts";

const BATCH = {
  features: [{ name: "f", type: "release", project: "default", stale: false }],
  featureStrategies: [{ name: "default", featureName: "f", parameters: {} }],
  featureEnvironments: [{ featureName: "f", environment: "development", enabled: true, variants: [] }],
  contextFields: [],
  featureTags: [],
  segments: [{ id: 1, name: "beta" }],
  tagTypes: [],
  dependencies: [],
};

const STATE_3 = {
  version: 3,
  features: [{ name: "f", strategies: [{ name: "default" }] }],
  strategies: [{ name: "custom" }],
};

const STATE_4 = {
  version: 4,
  features: [],
  strategies: [],
  tags: [],
  tagTypes: [],
  featureTags: [],
  projects: [{ id: "default", name: "Default" }],
  featureStrategies: [],
  featureEnvironments: [],
  environments: [{ name: "development" }],
  segments: [],
  featureStrategySegments: [],
};

const CLIENT = {
  version: 2,
  features: [{ name: "f", enabled: true, strategies: [{ name: "default" }], variants: [] }],
  segments: [],
  query: { environment: "development" },
};

const MAP = { f: { enabled: true, variant: "blue" }, g: { enabled: false } };

const pretty = (lines: readonly object[]) =>
  lines.map((line) => `${JSON.stringify(line, null, 2)}\n`).join("");

const FORMATS: ReadonlyArray<[name: string, value: object, words: string]> = [
  [
    "a features-batch export",
    BATCH,
    "this is a features-batch export of Unleash, which import does not support: ",
  ],
  [
    "a state export of version 3",
    STATE_3,
    "this is a state export of Unleash 3 to 5, which import does not support: ",
  ],
  [
    "a state export of version 4",
    STATE_4,
    "this is a state export of Unleash 3 to 5, which import does not support: ",
  ],
  [
    "flags in the format of SDKs",
    CLIENT,
    "these are flags as SDKs and offline proxies read them: flagstone run --seed FILE",
  ],
  ["a simple map", MAP, "these are flags as a simple map of an offline proxy: flagstone run --seed FILE"],
];

for (const [name, value, words] of FORMATS) {
  test(`${name} is recognized and refused`, () => refused(JSON.stringify(value), `line 1: ${words}`));
  test(`${name}, pretty-printed, is recognized and refused`, () =>
    refused(`\uFEFF${JSON.stringify(value, null, 2)}\r\n`, `line 1: ${words}`));
}

test("a state export in YAML is recognized and refused", () =>
  refused("version: 4\nfeatures:\n  - name: f\n", "line 1: this is a state export of Unleash 3 to 5, "));

test("a pretty-printed dataset is refused with the command that fixes it", () =>
  refused(
    pretty(everyKey()),
    "line 1: this is a pretty-printed dataset, but it must have one object per line: convert it with jq -c .",
  ));

for (const indent of [0, 2]) {
  test(`a dataset as a list, indented by ${indent}, is refused with the command that fixes it`, () =>
    refused(JSON.stringify(everyKey(), null, indent), "line 1: this is a dataset in one list, "));
}

test("a format is recognized however the input is chunked", async () => {
  const pieces = async function* () {
    for (const byte of Buffer.from(pretty([BATCH]))) yield Buffer.from([byte]);
  };
  await refused(pieces(), "line 1: this is a features-batch export of Unleash");
});

for (const [name, text, words] of [
  ["an unknown object", '{"flags":[]}', "kind: the first line must be of the kind dataset"],
  ["an empty object", "{}", "kind: the first line must be of the kind dataset"],
  ["a dataset whose first line is truncated", '{"kind":"data', "is not valid JSON (was the file cut short?)"],
  ["an invalid dataset", toText([{ kind: "tagType", name: '"kind":"dataset"' }]), "kind: the first line"],
] as const) {
  test(`${name} is refused as usual`, () => refused(text, `line 1: ${words}`));
}

const SQLITE = Buffer.from("SQLite format 3\0".padEnd(4096, "\0"));
const TAR = Buffer.concat([
  Buffer.from("a.jsonl".padEnd(257, "\0")),
  Buffer.from("ustar\0".padEnd(600, "\0")),
]);
const JSON_LINES = toText(everyKey());

for (const [name, bytes, words] of [
  ["CSV", "name,enabled\nf,true\n", "this is not a dataset: see docs/dataset.md for the format"],
  ["YAML", "flags:\n  - name: f\n", "this is not a dataset: "],
  ["HTML", "<!DOCTYPE html>\n<html></html>\n", "this is not a dataset: "],
  ["a text", "hello", "this is not a dataset: "],
  ["an empty list", "[]", "this is not a dataset: "],
  ["other JSON, pretty-printed", '{\n  "a": 1\n}\n', "this is not a dataset: "],
  ["a tar archive", TAR, "this is a tar archive: unpack it first"],
  ["a gzip file", gzipSync(JSON_LINES), "this is a gzip file: unpack it first"],
  ["a zip archive", "PK\u0003\u0004\n\0\0\n", "this is a zip archive: unpack it first"],
  ["a database", SQLITE, "this is a database: use flagstone restore, or serve it with --data"],
  ["UTF-16", Buffer.from(`\uFEFF${JSON_LINES}`, "utf16le"), "this is UTF-16: convert it with iconv"],
  [
    "UTF-16 without a byte order mark",
    Buffer.from(JSON_LINES, "utf16le"),
    "this is UTF-16: convert it with iconv",
  ],
  ["UTF-16 in the other byte order", Buffer.from(JSON_LINES, "utf16le").swap16(), "this is UTF-16: "],
  ["nothing", "", "the file is empty"],
  ["blanks", "\uFEFF \r\n\t\n", "the file is empty"],
] as const) {
  test(`${name} is recognized and refused, with a hint`, () => refused(bytes, `line 1: ${words}`));
}
