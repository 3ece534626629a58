import fs from "node:fs";
import puppeteer, { type Browser } from "puppeteer-core";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** A Chromium of this machine, or the one that CHROMIUM names; undefined where there is none. */
export const CHROMIUM = [process.env.CHROMIUM, ...PLACES].find((place) => place && fs.existsSync(place));

/** It asks nobody but the server that it is led to. */
const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-dev-shm-usage", // which is small in containers
];

/** @throws Error where no Chromium is installed */
export function launch(): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error("No Chromium is installed, and CHROMIUM names none");
  return puppeteer.launch({ executablePath: CHROMIUM, args: ARGUMENTS });
}
