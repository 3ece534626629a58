import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";

const ROOT = path.resolve(import.meta.dirname, "../..");

/** The demo, served on a free port from this checkout. */
export interface Demo {
  /** Signs in, once. */
  link: string;
  url: string;
  stop(): Promise<unknown>;
}

export async function serveDemo(): Promise<Demo> {
  const child = spawn(
    process.execPath,
    ["--import", "./scripts/preload.mjs", "src/main.ts", "demo", "--port", "0"],
    { cwd: ROOT, stdio: ["ignore", "pipe", "inherit"] },
  );
  const link = await printed(child, /Open: +(\S+)/);
  const stop = () => {
    child.kill("SIGTERM");
    return once(child, "exit");
  };
  return { link, url: new URL(link).origin, stop };
}

/** The first of what it prints that fits. */
function printed(child: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.stdout!.on("data", (chunk) => {
      text += chunk;
      const [, found] = pattern.exec(text) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.once("exit", (code) => reject(new Error(`The demo ended with ${code}`)));
  });
}
