import { backUp, compact as compactFile, restore as restoreFile } from "../db/backup.ts";
import { command } from "./command.ts";
import { dataFileToRead } from "./data-file.ts";

export const backup = command({
  name: "backup",
  summary: "Copy the data file to a new file and check the copy, even while a server is using it",
  usage: "FILE",
  example: "backup monday.db --data flags.db",
  settings: ["data", "quiet"],
  async run({ args: [target = ""], config, print, world: { stderr } }) {
    using db = dataFileToRead(config);
    const isShown = stderr.isTTY && !config.quiet;
    const show = (fraction: number) => isShown && stderr.write(`\r${Math.round(fraction * 100)} % copied`);
    await backUp(db, target, show).finally(() => isShown && stderr.write("\r\u001b[K"));
    print(`Copied ${config.data} to ${target} and checked the copy`);
  },
});

export const restore = command({
  name: "restore",
  summary: "Replace the data file with a backup, keeping the old file under another name",
  usage: "FILE",
  example: "restore monday.db --data flags.db",
  settings: ["data"],
  run({ args: [source = ""], config, print, world: { pid } }) {
    const previous = restoreFile(source, config.data, { now: new Date(), pid });
    print(`Restored ${config.data} from ${source}`);
    if (previous.length > 0) print(`The previous file is kept as ${previous.join(", ")}`);
  },
});

export const compact = command({
  name: "compact",
  summary: "Shrink the data file; no server may be using it",
  example: "compact --data flags.db",
  settings: ["data"],
  run({ config, print }) {
    const { before, after } = compactFile(config.data);
    print(`Rewrote ${config.data}: ${toMegabytes(after)} MB, before ${toMegabytes(before)} MB`);
  },
});

const toMegabytes = (bytes: number) => (bytes / 1e6).toFixed(1);
