import { backUp, compact as compactFile } from "../db/backup.ts";
import { close, openToRead } from "../db/open.ts";
import { restore as restoreFile } from "../db/restore.ts";
import type { Command } from "./command.ts";

export const backup: Command = {
  name: "backup",
  summary: "Copy the data file to a new file, also while it is served, and check the copy",
  usage: "FILE",
  arity: [1, 1],
  example: "backup monday.db --data flags.db",
  settings: ["data", "quiet"],
  async run({ args: [target = ""], config, print, world: { stderr } }) {
    const db = openToRead(config.data);
    const isShown = stderr.isTTY && !config.quiet;
    try {
      await backUp(db, target, (part) => isShown && stderr.write(`\r${Math.round(part * 100)} % copied`));
    } finally {
      if (isShown) stderr.write("\r\u001b[K");
      close(db);
    }
    print(`Copied ${config.data} to ${target}, and the copy is whole`);
  },
};

export const restore: Command = {
  name: "restore",
  summary: "Put a backup in the place of the data file, which is kept under another name",
  usage: "FILE",
  arity: [1, 1],
  example: "restore monday.db --data flags.db",
  settings: ["data"],
  run({ args: [source = ""], config, print, world: { pid } }) {
    const kept = restoreFile(source, config.data, { now: new Date(), pid });
    print(`Restored ${config.data} from ${source}`);
    if (kept.length > 0) print(`The file before is kept as ${kept.join(", ")}`);
  },
};

export const compact: Command = {
  name: "compact",
  summary: "Make the data file as small as it can be; it must not be served meanwhile",
  example: "compact --data flags.db",
  settings: ["data"],
  run({ config, print }) {
    const { before, after } = compactFile(config.data);
    print(`${config.data} had ${toMegabytes(before)} MB and has ${toMegabytes(after)} MB`);
  },
};

const toMegabytes = (bytes: number) => (bytes / 1e6).toFixed(1);
