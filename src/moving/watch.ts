import { setTimeout } from "node:timers/promises";
import type { Database } from "../db/database.ts";
import { close, IN_MEMORY, open } from "../db/open.ts";
import type { Log } from "../lib/logger.ts";
import { importLines, replaceFlags } from "../transfer/import.ts";
import { hasChanged, pulledLines, readAll } from "./pull.ts";
import type { Pull } from "./source.ts";

interface Options {
  intervalMs: number;
  signal: AbortSignal;
  log: Log;
}

/**
 * Keeps the flags of a data file, and all they depend on, as they are on a server: whenever its log has a new event,
 * what that concerns is read, and the flags are replaced in one transaction. A server that can't be reached is asked
 * again later.
 */
export async function watch(db: Database, pull: Pull, { intervalMs, signal, log }: Options): Promise<void> {
  let trouble = "";
  while (!signal.aborted) {
    try {
      if (await hasChanged(pull)) await copyFlags(db, pull, log);
      trouble = "";
    } catch (error) {
      const { message } = error as Error;
      if (!signal.aborted && message !== trouble) log({ level: "warn", message });
      trouble = message;
    }
    await setTimeout(intervalMs, undefined, { signal }).catch(() => {});
  }
}

/** Makes the flags of a file the same as those of the server. */
export async function copyFlags(db: Database, pull: Pull, log: Log): Promise<void> {
  const ofFlags = { ...pull, options: { ...pull.options, onlyFlags: true } };
  await readAll(ofFlags);
  const copy = open(IN_MEMORY);
  try {
    await importLines(copy, pulledLines(ofFlags));
    replaceFlags(db, copy);
  } finally {
    close(copy);
  }
  log({ level: "info", message: `copied what has changed on ${pull.url}` });
}
