import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";

/** Runs a script of this folder in a separate process, with the same loader for .sql files. */
export const startScript = (name: string, args: string[]) =>
  fork(path.join(import.meta.dirname, name), args, {
    execArgv: ["--import", path.resolve(import.meta.dirname, "../preload.mjs")],
  });

/** The next message of a script. @throws Error if it exits first */
export async function messageOf<T>(child: ChildProcess): Promise<T> {
  const answered = new AbortController();
  const options = { signal: answered.signal };
  const exited = once(child, "close", options).then(([code, signal]) => {
    throw new Error(`${child.spawnargs.join(" ")} exited with ${signal ?? code} before it sent a message`);
  });
  try {
    const [message] = await Promise.race([once(child, "message", options), exited]);
    return message;
  } finally {
    answered.abort();
  }
}
