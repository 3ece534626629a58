import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

/*
 * Installs what `npm ci` leaves out (.npmrc): the packages that only tests, builds and measurements need. Does nothing
 * once they are there in the versions of package.json.
 */

const ROOT = path.resolve(import.meta.dirname, "..");

const read = (folder) => JSON.parse(fs.readFileSync(path.join(ROOT, folder, "package.json"), "utf8"));

const isInstalled = ([name, version]) => {
  const folder = `node_modules/${name}`;
  return fs.existsSync(path.join(ROOT, folder, "package.json")) && read(folder).version === version;
};

if (!Object.entries(read(".").devDependencies).every(isInstalled)) {
  process.stderr.write("npm install --include=dev: once, for tests, builds and measurements\n");
  const args = ["install", "--include=dev", "--no-save", "--no-audit", "--no-fund"];
  const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ["npm"];
  const [program, ...rest] = [...npm, ...args];
  const { status } = spawnSync(program, rest, { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] });
  process.exitCode = status ?? 1;
}
