import fs from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { inChunks } from "../dataset/text.ts";
import type { Database } from "../db/database.ts";
import { explainTargetError } from "../db/error.ts";
import { requireFree, stagedFile } from "../db/staged-file.ts";
import { projectAsYaml } from "../flags-as-text/text.ts";
import { UsageError } from "../lib/usage-error.ts";
import { exportDataset } from "../transfer/export.ts";
import { exportSql } from "../unleash/to-sql.ts";
import { type Context, command } from "./command.ts";
import { AT_OPTION, dataFileToRead } from "./data-file.ts";
import { logLeft } from "./output.ts";
import { useConfiguredKey } from "./secrets.ts";

const OPTIONS = {
  "with-secrets": {
    help: "include what is otherwise masked: secret parameters, password hashes, invitation links, kept token secrets",
  },
  as: {
    hint: "FORMAT",
    help: "dataset, yaml for apply and diff, or unleash for the database of an Unleash (default: dataset)",
  },
  project: { hint: "ID", help: "the project to write as YAML" },
  ...AT_OPTION,
} as const;

export const exportCommand = command({
  name: "export",
  summary:
    "Write everything as a dataset or for Unleash, or a project as YAML, to a new file or standard output",
  usage: "[FILE|-]",
  example: "export backup.jsonl --data flags.db",
  settings: ["data", "secret-key-file", "log-format", "log-level", "quiet"],
  options: OPTIONS,
  async run(context) {
    const { args, config, options } = context;
    const exportLines = chooseFormat(context);
    using db = dataFileToRead(config, options.at);
    useConfiguredKey(config, db);
    await writeLines(context, args[0] ?? "-", exportLines(db));
  },
});

/** @throws UsageError for options that don't go together */
function chooseFormat(context: Context<typeof OPTIONS>): (db: Database) => Iterable<string> {
  const { as = "dataset", project, "with-secrets": withSecrets = false } = context.options;
  if (as === "yaml") {
    if (project === undefined) throw new UsageError("--as yaml needs a --project");
    return (db) => [projectAsYaml(db, project)];
  }
  if (project !== undefined) throw new UsageError("--project needs --as yaml");
  if (as === "dataset") return (db) => exportDataset(db, { withSecrets });
  if (as !== "unleash") throw new UsageError(`--as: must be dataset, yaml or unleash, not ${as}`);
  return (db) => exportSql(db, { withSecrets, onEnd: (left) => logLeft(context, left) });
}

/**
 * Writes lines of a dataset to a new file, completely or not at all, or to standard output for `-`.
 * @throws Error if the target exists or can't be written
 */
export async function writeLines({ world, log }: Context, target: string, lines: Iterable<string>) {
  const chunks = inChunks(lines);
  if (target === "-") return pipeline(Readable.from(chunks), world.stdout, { end: false });
  requireFree(target);
  try {
    using file = stagedFile(target);
    await pipeline(Readable.from(chunks), fs.createWriteStream(file.path));
    file.commit();
  } catch (error) {
    throw explainTargetError(error, target);
  }
  log({ level: "info", message: `exported to ${target}` });
}
