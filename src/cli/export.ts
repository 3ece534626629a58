import fs from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { inWordsOfTarget } from "../db/error.ts";
import { close, openToRead } from "../db/open.ts";
import { requireFree, stagedFile } from "../db/staged-file.ts";
import { exportDataset } from "../transfer/export.ts";
import { inChunks } from "../transfer/lines.ts";
import type { Command, Context } from "./command.ts";
import { keepSecrets } from "./keep-secrets.ts";

export const exportCommand: Command = {
  name: "export",
  summary: "Write everything as a dataset to a new file, or to standard output",
  usage: "[FILE|-]",
  arity: [0, 1],
  example: "export backup.jsonl --data flags.db",
  settings: ["data", "secret-key-file", "log-format", "log-level", "quiet"],
  options: {
    "with-secrets": {
      type: "boolean",
      help: "write what is masked otherwise: secret parameters, password hashes, invitation links",
    },
  },
  async run(context) {
    const { args, config, options } = context;
    const db = openToRead(config.data);
    try {
      keepSecrets(config, db);
      const lines = exportDataset(db, { withSecrets: options["with-secrets"] === true });
      await writeLines(context, args[0] ?? "-", lines);
    } finally {
      close(db);
    }
  },
};

/**
 * Writes lines of a dataset to a new file, whole or not at all, or to standard output for `-`.
 * @throws Error if there is something at the target, or it can't be written.
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
    throw inWordsOfTarget(error, target);
  }
  log({ level: "info", message: `exported to ${target}` });
}
