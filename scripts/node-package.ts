import { execFileSync } from "node:child_process";
import crypto from "node:crypto";
import fs from "node:fs";
import path from "node:path";

const ROOT = path.resolve(import.meta.dirname, "..");

interface Locked {
  version: string;
  integrity: string;
}

/**
 * The Node binary of an npm platform package: the installed one or, for other platforms, one downloaded into `folder`.
 * The checksum must match the lock file; for a version other than the locked one, npm's own check has to do.
 */
export function fetchNode(
  name: string,
  folder: string,
  wanted?: string,
): { version: string; binary: string } {
  const lock = JSON.parse(fs.readFileSync(path.join(ROOT, "package-lock.json"), "utf8"));
  const locked: Locked = lock.packages[`node_modules/${name}`];
  const version = wanted ?? locked.version;
  const isLocked = version === locked.version;
  const installed = path.join(ROOT, "node_modules", name);
  if (isLocked && fs.existsSync(installed)) return { version, binary: binaryIn(installed) };
  const unpacked = path.join(folder, `${name}-${version}`);
  if (!fs.existsSync(unpacked)) unpack(name, version, isLocked ? locked.integrity : undefined, unpacked);
  return { version, binary: binaryIn(unpacked) };
}

const binaryIn = (folder: string) => {
  const windows = path.join(folder, "bin/node.exe");
  return fs.existsSync(windows) ? windows : path.join(folder, "bin/node");
};

function unpack(name: string, version: string, integrity: string | undefined, target: string) {
  const folder = fs.mkdtempSync(`${target}-`);
  execFileSync("npm", ["pack", `${name}@${version}`, "--silent", "--pack-destination", folder], {
    stdio: "ignore",
  });
  const archive = path.join(folder, fs.readdirSync(folder)[0]!);
  const hash = crypto.createHash("sha512").update(fs.readFileSync(archive)).digest("base64");
  if ((integrity ?? `sha512-${hash}`) !== `sha512-${hash}`)
    throw new Error(`${name}@${version} does not match the lock file`);
  execFileSync("tar", ["-xzf", archive, "-C", folder]);
  fs.renameSync(path.join(folder, "package"), target);
  fs.rmSync(folder, { recursive: true });
}
