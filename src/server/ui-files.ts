import fs from "node:fs";
import path from "node:path";
import type { PageName, Ui } from "../http/page.ts";

const SOURCES = path.resolve(import.meta.dirname, "../ui");

const builds = new Map<PageName, { at: number; ui: Promise<Ui> }>();

/**
 * The files that run in the browser. A checkout builds them from `src/ui`, in well under a second, and again whenever a
 * file there changes; a build embeds them in this file's place.
 */
export function loadUi(page: PageName): Promise<Ui> {
  const known = builds.get(page);
  if (known && known.at >= newestChange()) return known.ui;
  const own = { at: Date.now(), ui: bundle(page) };
  builds.set(page, own);
  own.ui.catch(() => {
    if (builds.get(page) === own) builds.delete(page);
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

/** One build at a time: esbuild's process is stopped after each, and a concurrent build would wait for it forever. */
function bundle(page: PageName): Promise<Ui> {
  const builds = last.then(() => bundleNow(page));
  last = builds.catch(() => {});
  return builds;
}

async function bundleNow(page: PageName): Promise<Ui> {
  const { bundleUi, endBundling } = await import("../../scripts/ui.ts");
  const ui = await bundleUi(page);
  await endBundling();
  return ui;
}
