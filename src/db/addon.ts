import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { asset } from "#assets";

/** Linux only: an unnamed file, which nobody can find or replace, and which cannot be left behind. */
const O_TMPFILE = 0o20000000 | fs.constants.O_DIRECTORY;

/** Ways to load the native addon, in order of preference. */
const WAYS: ReadonlyArray<(bytes: Buffer) => object> =
  process.platform === "linux"
    ? [(bytes) => loadNameless("/dev/shm", bytes), (bytes) => loadNameless(os.tmpdir(), bytes), loadNamed]
    : [loadNamed];

function load(bytes: Buffer): object {
  for (const way of WAYS) {
    try {
      return way(bytes);
    } catch {
      // No such folder, no space, no O_TMPFILE, mounted noexec, or no /proc: try the next way.
    }
  }
  const megabytes = Math.ceil(bytes.length / 1e6);
  throw new Error(
    `SQLite can't be unpacked in ${os.tmpdir()}: it needs ${megabytes} MB in a folder that is writable and not mounted ` +
      "noexec; name one with TMPDIR",
  );
}

function loadNameless(folder: string, bytes: Buffer): object {
  const fd = fs.openSync(folder, fs.constants.O_RDWR | O_TMPFILE, 0o700);
  try {
    fs.writeFileSync(fd, bytes); // throws on a partial write; a truncated library would end in a SIGBUS
    return dlopen(`/proc/self/fd/${fd}`);
  } finally {
    fs.closeSync(fd);
  }
}

/** A file in a private folder, removed once loaded; Windows cannot remove a file in use. */
function loadNamed(bytes: Buffer): object {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "flagstone-"));
  const file = path.join(folder, "better_sqlite3.node");
  let isLoaded = false;
  try {
    fs.writeFileSync(file, bytes, { mode: 0o600, flag: "wx" });
    const loaded = dlopen(file);
    isLoaded = true;
    return loaded;
  } finally {
    if (process.platform !== "win32" || !isLoaded) fs.rmSync(folder, { recursive: true, force: true });
  }
}

function dlopen(file: string): object {
  const module = { exports: {} };
  process.dlopen(module, file);
  return module.exports;
}

let loaded: object | undefined;

/**
 * The native addon of better-sqlite3, if the program ships its own; undefined in a checkout, where the package finds it
 * itself. Loaded on first use: commands that open no database, such as help, work without a writable folder.
 */
export function nativeBinding(): object | undefined {
  const bytes = loaded ? undefined : asset("addon.node");
  if (bytes) loaded = load(bytes);
  return loaded;
}
