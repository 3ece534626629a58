import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";

const ROOT = path.resolve(import.meta.dirname, "../..");

/** A server on a free port, from this checkout. */
export interface Served {
  url: string;
  stop(): Promise<unknown>;
}

/** The demo, with a link that signs in, once. */
export async function serveDemo(): Promise<Served & { link: string }> {
  const { printed: link, stop } = await start(["demo"], /Open: +(\S+)/);
  return { link, url: new URL(link).origin, stop };
}

/** A data file. */
export async function serveFile(file: string): Promise<Served> {
  const { printed: url, stop } = await start(["serve", "--data", file], /URL: +(\S+)/);
  return { url, stop };
}

async function start(command: string[], pattern: RegExp) {
  const child = spawn(
    process.execPath,
    ["--import", "./scripts/preload.mjs", "src/main.ts", ...command, "--port", "0", "--quiet"],
    { cwd: ROOT, stdio: ["ignore", "pipe", "inherit"] },
  );
  const stop = () => {
    child.kill("SIGTERM");
    return once(child, "exit");
  };
  return { printed: await printed(child, pattern), stop };
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
    child.once("exit", (code) => reject(new Error(`The server ended with ${code}`)));
  });
}
