import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";

const ROOT = path.resolve(import.meta.dirname, "../..");

/** A server of this checkout on a free port. */
export interface Served {
  url: string;
  stop(): Promise<unknown>;
}

/** Serves the demo, with a single-use sign-in link. */
export async function serveDemo(): Promise<Served & { link: string }> {
  const { printed: link, stop } = await start(["demo"], /Open: +(\S+)/);
  return { link, url: new URL(link).origin, stop };
}

/** Serves a data file. */
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

/** The first group of `pattern`, once the process has printed a match. */
function printed(child: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.stdout!.on("data", (chunk) => {
      text += chunk;
      const [, found] = pattern.exec(text) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.once("exit", (code) => reject(new Error(`The server exited with ${code}`)));
  });
}
