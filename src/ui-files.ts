import fs from "node:fs";
import path from "node:path";
import type { PageName, Ui } from "./http/page.ts";

const SOURCES = path.join(import.meta.dirname, "ui");

const made = new Map<PageName, { at: number; ui: Promise<Ui> }>();

/**
 * What runs in the browser. A checkout makes it of `src/ui`, in well under a second, and again when a file there has
 * changed; a build has it inside, in this file's place.
 */
export function loadUi(page: PageName): Promise<Ui> {
  const known = made.get(page);
  if (known && known.at >= newestChange()) return known.ui;
  const own = { at: Date.now(), ui: bundle(page) };
  made.set(page, own);
  own.ui.catch(() => {
    if (made.get(page) === own) made.delete(page);
  });
  return own.ui;
}

const newestChange = () =>
  Math.max(
    ...fs
      .readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
      .map((file) => fs.statSync(path.join(SOURCES, file)).mtimeMs),
  );

let last: Promise<unknown> = Promise.resolve();

/** One after the other: the process of esbuild is ended after each, which another would wait for in vain. */
function bundle(page: PageName): Promise<Ui> {
  const made = last.then(() => bundleNow(page));
  last = made.catch(() => {});
  return made;
}

async function bundleNow(page: PageName): Promise<Ui> {
  const { bundleUi, endBundling } = await import("../scripts/ui.ts");
  const ui = await bundleUi(page);
  await endBundling();
  return ui;
}
