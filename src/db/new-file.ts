import fs from "node:fs";

/** What SQLite may leave beside a database. */
export const BESIDE = ["-wal", "-shm"];

/**
 * A file that is made under another name and gets its own when it is complete, so that it is whole or not there:
 * `using copy = newFile(file)`, write to `copy.path`, then `copy.finish()`. Unfinished, it is removed.
 */
export function newFile(file: string) {
  const path = `${file}.unfinished`;
  const remove = () => {
    for (const suffix of ["", ...BESIDE]) fs.rmSync(path + suffix, { force: true });
  };
  remove(); // what an interrupted process left
  makePrivate(path);
  return { path, finish: () => fs.renameSync(path, file), [Symbol.dispose]: remove };
}

/** Makes an empty file that only its owner may read: there are names and hashes of secrets in ours. */
export function makePrivate(path: string) {
  try {
    fs.closeSync(fs.openSync(path, "a", 0o600));
  } catch {
    // Whoever writes to it next fails too, and says why.
  }
}
