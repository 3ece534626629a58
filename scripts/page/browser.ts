import fs from "node:fs";
import puppeteer, { type Browser } from "puppeteer-core";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** The path of an installed Chromium, or of the one that CHROMIUM names; undefined if there is none. */
export const CHROMIUM = [process.env.CHROMIUM, ...PLACES].find((place) => place && fs.existsSync(place));

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
export function launch(): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error("No Chromium found; install one or set CHROMIUM to its path");
  return puppeteer.launch({ executablePath: CHROMIUM, args: ARGUMENTS });
}
