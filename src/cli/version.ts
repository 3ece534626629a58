import { sqliteVersion } from "../db/connect.ts";
import { SCHEMA_VERSION } from "../db/migrations.ts";
import { COMMIT, VERSION } from "../lib/version.ts";
import { type Command, JSON_OPTION } from "./command.ts";

export const version: Command = {
  name: "version",
  summary: "Print the version",
  example: "version --json",
  settings: [],
  options: {
    json: { ...JSON_OPTION.json, help: "print JSON, with the commit, the schema, SQLite and Node" },
  },
  run: ({ options, print }) => print(options.json ? JSON.stringify(everything()) : VERSION),
};

const everything = () => ({
  version: VERSION,
  commit: COMMIT,
  schema: SCHEMA_VERSION,
  sqlite: sqliteVersion(),
  node: process.versions.node,
});
