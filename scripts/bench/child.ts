import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";

/** Starts a script of this folder as a process of its own, which may read .sql files as we do. */
export const startScript = (name: string, args: string[]) =>
  fork(path.join(import.meta.dirname, name), args, {
    execArgv: ["--import", path.resolve(import.meta.dirname, "../preload.mjs")],
  });

/** What a script says next. @throws Error if it ends instead */
export async function messageOf<T>(child: ChildProcess): Promise<T> {
  const answered = new AbortController();
  const options = { signal: answered.signal };
  const ended = once(child, "close", options).then(([code, signal]) => {
    throw new Error(`${child.spawnargs.join(" ")} ended with ${signal ?? code} instead of an answer`);
  });
  try {
    const [message] = await Promise.race([once(child, "message", options), ended]);
    return message;
  } finally {
    answered.abort();
  }
}
