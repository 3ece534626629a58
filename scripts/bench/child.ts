import { fork } from "node:child_process";
import path from "node:path";

/** Starts a script of this folder as a process of its own, which may read .sql files as we do. */
export const startScript = (name: string, args: string[]) =>
  fork(path.join(import.meta.dirname, name), args, {
    execArgv: ["--import", path.resolve(import.meta.dirname, "../preload.mjs")],
  });
