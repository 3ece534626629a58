import fs from "node:fs";
import path from "node:path";
import type { Ui } from "../http/page.ts";

const SOURCES = path.resolve(import.meta.dirname, "../ui");

let last: { at: number; ui: Promise<Ui> } | undefined;

/**
 * The files that run in the browser. A checkout builds them from `src/ui`, in well under a second, and again whenever a
 * file there changes; a build embeds them in this file's place.
 */
export function loadUi(): Promise<Ui> {
  if (last && last.at >= newestChange()) return last.ui;
  const own = { at: Date.now(), ui: bundleAfter(last?.ui) };
  last = own;
  own.ui.catch(() => {
    if (last === own) last = undefined;
  });
  return own.ui;
}

const newestChange = () =>
  Math.max(
    ...fs
      .readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
      .map((file) => fs.statSync(path.join(SOURCES, file)).mtimeMs),
  );

/** One build at a time: esbuild's process is stopped after each, and a concurrent build would wait for it forever. */
async function bundleAfter(former: Promise<Ui> | undefined): Promise<Ui> {
  await former?.catch(() => {});
  const { bundleUi, endBundling } = await import("../../scripts/ui.ts");
  const ui = await bundleUi();
  await endBundling();
  return ui;
}
