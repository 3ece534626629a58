import zlib from "node:zlib";
import { asset } from "#assets";
import { sqliteVersion } from "../db/connect.ts";
import { SCHEMA_VERSION } from "../db/migrations.ts";
import { COMMIT, VERSION } from "../lib/version.ts";
import { command } from "./command.ts";

export const version = command({
  name: "version",
  summary: "Print the version",
  example: "version --json",
  options: { json: { help: "print JSON, with the commit, the schema, SQLite and Node" } },
  run: ({ options, print }) => print(options.json ? JSON.stringify(everything()) : VERSION),
});

const everything = () => ({
  version: VERSION,
  commit: COMMIT,
  schema: SCHEMA_VERSION,
  sqlite: sqliteVersion(),
  node: process.versions.node,
});

const OF_CHECKOUT =
  "Flagstone is licensed under the Apache License 2.0, see LICENSE.\n" +
  "This is a checkout: the licences of the packages it uses are in node_modules.\n" +
  "An executable, or a bundle made with `npm run build`, prints them here.";

export const licenses = command({
  name: "licenses",
  summary: "Print the licences of all included software",
  example: "licenses",
  run({ print }) {
    const compressed = asset("licenses.txt.br");
    print(compressed ? zlib.brotliDecompressSync(compressed).toString() : OF_CHECKOUT);
  },
});
