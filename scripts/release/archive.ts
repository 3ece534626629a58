import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import zlib from "node:zlib";
import { type Zippable, zipSync } from "fflate";

/*
 * Archives of one folder. The same content gives the same bytes, whoever packs it and whenever: names are sorted,
 * times are the ones given, and owners are left out.
 */

/** With the tar of GNU, which every Linux has; others can't sort. @returns the archive's bytes */
export function tarball(folder: string, at: Date): Buffer {
  const { dir, base } = path.parse(folder);
  const same = ["--format=ustar", "--sort=name", "--owner=0", "--group=0", "--numeric-owner"];
  const args = [...same, `--mtime=@${at.getTime() / 1000}`, "-C", dir, "-cf", "-", base];
  return zlib.gzipSync(execFileSync("tar", args, { maxBuffer: 2 ** 30 }), { level: 9 });
}

/** Made by "UNIX" in zip's numbers: attributes hold a file's mode. */
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

/** Zip has times without a zone, and they are read from a date as this machine's clock shows it. */
const inWallClock = (at: Date) => new Date(at.getTime() + at.getTimezoneOffset() * 60_000);
