import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { DIST, ROOT } from "../bundle.ts";

const isWindows = process.platform === "win32";
const NAME = `flagstone-${isWindows ? "win" : process.platform}-${process.arch}${isWindows ? ".exe" : ""}`;

/** The executable for this machine, built if it is missing or older than the sources. */
export function hostExecutable(): string {
  const file = path.join(DIST, NAME);
  if (!fs.existsSync(file) || fs.statSync(file).mtimeMs < newestSource()) {
    process.stderr.write("npm run package\n");
    const stdio = ["ignore", "ignore", "inherit"] as const;
    execFileSync(process.execPath, ["scripts/package.ts"], { cwd: ROOT, stdio: [...stdio] });
  }
  return file;
}

function newestSource() {
  const folder = path.join(ROOT, "src");
  const files = fs.readdirSync(folder, { recursive: true, encoding: "utf8" });
  return Math.max(...files.map((file) => fs.statSync(path.join(folder, file)).mtimeMs));
}
