import fs from "node:fs";
import path from "node:path";
import type { Ui } from "./http/page.ts";

const SOURCES = path.join(import.meta.dirname, "ui");

let made: { at: number; ui: Promise<Ui> } | undefined;

/**
 * What runs in the browser. A checkout makes it of `src/ui`, in well under a second, and again when a file there has
 * changed; a build has it inside, in this file's place.
 */
export function loadUi(): Promise<Ui> {
  if (made === undefined || made.at < newestChange()) {
    const own = { at: Date.now(), ui: bundle() };
    made = own;
    own.ui.catch(() => {
      if (made === own) made = undefined;
    });
  }
  return made.ui;
}

const newestChange = () =>
  Math.max(
    ...fs
      .readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
      .map((file) => fs.statSync(path.join(SOURCES, file)).mtimeMs),
  );

async function bundle(): Promise<Ui> {
  const { bundleUi, endBundling } = await import("../scripts/ui.ts");
  const ui = await bundleUi();
  await endBundling();
  return ui;
}
