import fs from "node:fs";
import os from "node:os";
import path from "node:path";
// @ts-expect-error esbuild puts the bytes here
import bytes from "#addon-bytes";

/** Linux: a file without a name, which nobody can find, swap, or leave behind. */
const O_TMPFILE = 0o20000000 | fs.constants.O_DIRECTORY;

const load = (): object => {
  if (process.platform !== "linux") return loadNamed();
  for (const folder of ["/dev/shm", os.tmpdir()]) {
    try {
      return loadNameless(folder);
    } catch {
      // No such folder, no O_TMPFILE there, mounted noexec, or no /proc: the next way.
    }
  }
  return loadNamed();
};

function loadNameless(folder: string): object {
  const fd = fs.openSync(folder, fs.constants.O_RDWR | O_TMPFILE, 0o700);
  try {
    fs.writeSync(fd, bytes);
    return dlopen(`/proc/self/fd/${fd}`);
  } finally {
    fs.closeSync(fd);
  }
}

/** A file in a folder that only we may enter, gone as soon as it is loaded; Windows keeps what is in use. */
function loadNamed(): object {
  const folder = makeFolder();
  const file = path.join(folder, "better_sqlite3.node");
  fs.writeFileSync(file, bytes, { mode: 0o600, flag: "wx" });
  try {
    return dlopen(file);
  } finally {
    if (process.platform !== "win32") fs.rmSync(folder, { recursive: true, force: true });
  }
}

function makeFolder() {
  try {
    return fs.mkdtempSync(path.join(os.tmpdir(), "flagstone-"));
  } catch {
    throw new Error(
      `SQLite can't be unpacked in ${os.tmpdir()}: name a folder that can be written with TMPDIR`,
    );
  }
}

function dlopen(file: string): object {
  const module = { exports: {} };
  process.dlopen(module, file);
  return module.exports;
}

let loaded: object | undefined;

/** Loaded where a database is opened: what needs none, such as help, needs no place for it either. */
export const nativeBinding = (): object => (loaded ??= load());
