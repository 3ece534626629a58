import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

/*
 * `npm run dev`: serves the demo with listhen, and again once a file of the server has changed. Options are the demo's,
 * and --https for a self-signed certificate. With --host 0.0.0.0 a phone can scan the sign-in link.
 */

const ROOT = path.resolve(import.meta.dirname, "..");

let child = start(process.argv.slice(2));

/** The page is bundled again on request, without a restart. */
const isOfServer = (name: string) => name.endsWith(".ts") && !name.startsWith(`ui${path.sep}`);

fs.watch(path.join(ROOT, "src"), { recursive: true }, (_, name) => {
  if (name === null || !isOfServer(name) || child.killed) return;
  restart(child);
});
fs.watch(path.join(ROOT, "schema.sql"), () => child.killed || restart(child));

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.once(signal, () => {
    child.removeAllListeners("exit").once("exit", () => process.exit());
    if (child.exitCode !== null || !child.kill(signal)) process.exit();
  });

function start(args: string[]): ChildProcess {
  const preload = path.join(ROOT, "scripts/preload.mjs");
  const script = path.join(ROOT, "scripts/dev-server.ts");
  return spawn(process.execPath, ["--import", preload, script, ...args], { stdio: "inherit" });
}

/** The browser that was opened at the first start stays as it is. */
function restart(old: ChildProcess) {
  const again = () => (child = start(process.argv.slice(2).filter((option) => option !== "--open")));
  if (old.exitCode !== null) return again(); // a mistake in the code had ended it
  old.once("exit", again);
  old.kill();
}
