import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import puppeteer, { type Browser, type LaunchOptions } from "puppeteer-core";

const named = process.env.CHROMIUM;

const firstOf = (...places: Array<string | undefined>) =>
  [named, ...places].find((place) => place && fs.existsSync(place));

/** The path of an installed Chromium with profiles, or of the one that CHROMIUM names; undefined if there is none. */
export const WHOLE_CHROMIUM = firstOf(
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
);

/** The same, or one without profiles, which takes about half the processor time. */
export const CHROMIUM = firstOf("/usr/bin/chromium-headless-shell", WHOLE_CHROMIUM);

/** The browser connects only to the server under test. */
const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-dev-shm-usage", // /dev/shm is small in containers
];

/** @throws Error if no Chromium is installed */
export function launch({ args = [], ...options }: LaunchOptions = {}): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error("No Chromium found; install one or set CHROMIUM to its path");
  return puppeteer.launch({ executablePath: CHROMIUM, args: [...ARGUMENTS, ...args], ...options });
}

/** Serves the demo of this checkout on a free port, with a single-use sign-in link. */
export async function serveDemo() {
  const args = ["--import", "./scripts/preload.mjs", "src/main.ts", "demo", "--port", "0", "--quiet"];
  const cwd = path.resolve(import.meta.dirname, "..");
  const child = spawn(process.execPath, args, { cwd, stdio: ["ignore", "pipe", "inherit"] });
  const link = await printed(child, /Open: +(\S+)/);
  const stop = () => {
    child.kill("SIGTERM");
    return once(child, "exit");
  };
  return { link, url: new URL(link).origin, stop };
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
