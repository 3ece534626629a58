import { backUp, compact as compactFile, restore as restoreFile } from "../db/backup.ts";
import { close, openToRead } from "../db/open.ts";
import type { Command } from "./command.ts";

export const backup: Command = {
  name: "backup",
  summary: "Copy the data file to a new file and check the copy, even while a server is using it",
  usage: "FILE",
  arity: [1, 1],
  example: "backup monday.db --data flags.db",
  settings: ["data", "quiet"],
  async run({ args: [target = ""], config, print, world: { stderr } }) {
    const db = openToRead(config.data);
    const isShown = stderr.isTTY && !config.quiet;
    try {
      await backUp(
        db,
        target,
        (fraction) => isShown && stderr.write(`\r${Math.round(fraction * 100)} % copied`),
      );
    } finally {
      if (isShown) stderr.write("\r\u001b[K");
      close(db);
    }
    print(`Copied ${config.data} to ${target} and checked the copy`);
  },
};

export const restore: Command = {
  name: "restore",
  summary: "Replace the data file with a backup, keeping the old file under another name",
  usage: "FILE",
  arity: [1, 1],
  example: "restore monday.db --data flags.db",
  settings: ["data"],
  run({ args: [source = ""], config, print, world: { pid } }) {
    const previous = restoreFile(source, config.data, { now: new Date(), pid });
    print(`Restored ${config.data} from ${source}`);
    if (previous.length > 0) print(`The previous file is kept as ${previous.join(", ")}`);
  },
};

export const compact: Command = {
  name: "compact",
  summary: "Shrink the data file; no server may be using it",
  example: "compact --data flags.db",
  settings: ["data"],
  run({ config, print }) {
    const { before, after } = compactFile(config.data);
    print(`Rewrote ${config.data}: ${toMegabytes(after)} MB, before ${toMegabytes(before)} MB`);
  },
};

const toMegabytes = (bytes: number) => (bytes / 1e6).toFixed(1);
