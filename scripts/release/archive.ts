import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import zlib from "node:zlib";
import { type Zippable, zipSync } from "fflate";

/*
 * Reproducible archives of a folder: entries are sorted by name, all get the given time, and owners are omitted.
 */

/** Requires GNU tar; others cannot sort. @returns the archive's bytes */
export function tarball(folder: string, at: Date): Buffer {
  const { dir, base } = path.parse(folder);
  const same = ["--format=ustar", "--sort=name", "--owner=0", "--group=0", "--numeric-owner"];
  const args = [...same, `--mtime=@${at.getTime() / 1000}`, "-C", dir, "-cf", "-", base];
  return zlib.gzipSync(execFileSync("tar", args, { maxBuffer: 2 ** 30 }), { level: 9 });
}

/** Zip's code for "made by UNIX": the attributes hold the file's mode. */
const UNIX = 3;

/** @returns the archive's bytes */
export function zip(folder: string, at: Date): Uint8Array {
  const content: Zippable = {};
  for (const name of filesIn(folder)) {
    const file = path.join(folder, name);
    const mode = 0o100000 | (fs.statSync(file).mode & 0o777); // a regular file
    const entry = `${path.basename(folder)}/${name.replaceAll(path.sep, "/")}`;
    content[entry] = [fs.readFileSync(file), { os: UNIX, attrs: mode << 16 }];
  }
  return zipSync(content, { level: 9, mtime: inWallClock(at) });
}

const filesIn = (folder: string) =>
  fs
    .readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => fs.statSync(path.join(folder, name)).isFile())
    .sort();

/** Zip times have no zone, and fflate takes them from a date's local time; this makes local time equal UTC. */
const inWallClock = (at: Date) => new Date(at.getTime() + at.getTimezoneOffset() * 60_000);
