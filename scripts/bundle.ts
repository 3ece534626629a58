import { execSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import zlib from "node:zlib";
import { type BuildOptions, build, type Metafile } from "esbuild";
import { collectLicenses } from "./licenses.ts";
import { bundleUi, packUi } from "./ui.ts";

const require = createRequire(import.meta.url);
export const ROOT = path.resolve(import.meta.dirname, "..");
export const DIST = path.join(ROOT, "dist");
/** Intermediate files. */
export const BUILD = path.join(ROOT, "build");

const here = (file: string) => path.join(ROOT, "scripts", file);

/** better-sqlite3's native addon for a platform such as `linux-x64` (Node's names). */
const addonFor = (platform: string) =>
  path.join(path.dirname(require.resolve("better-sqlite3/package.json")), "prebuilds", `${platform}.node`);

/** The abbreviated commit of the checkout; null outside a repository, as in a source archive. */
function commit(): string | null {
  try {
    const command = "git rev-parse --short HEAD";
    return execSync(command, { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return null;
  }
}

/**
 * Bundles everything but Node: one CommonJS file, and its assets in a folder beside it, a second script among them.
 * @param platform Node's name of the platform that the native addon is for, such as `linux-x64`
 * @returns esbuild's list of what they contain, and the folder
 */
export async function bundle(
  platform: string,
  outfile: string,
): Promise<{ metafile: Metafile; assets: string }> {
  const page = await bundleUi();
  const server = await bundleScript("src/main.ts", outfile, {
    define: { BUILD_COMMIT: JSON.stringify(commit()) },
    loader: { ".sql": "text" },
    alias: {
      "#assets": here("embedded-assets.ts"),
      "#on-demand": here("embedded-on-demand.ts"),
      "#ui": here("embedded-ui.ts"),
    },
  });
  const assets = `${outfile.replace(/\.cjs$/, "")}-assets`;
  fs.rmSync(assets, { recursive: true, force: true });
  const onDemand = await bundleScript("src/lib/on-demand.cjs", path.join(assets, "on-demand.cjs"));
  const metafile = merge(server, onDemand, page.metafile);
  for (const [name, body] of [
    ["addon.node", fs.readFileSync(addonFor(platform))],
    ["licenses.txt.br", zlib.brotliCompressSync(collectLicenses(metafile))],
    ...packUi(page),
  ] as const)
    fs.writeFileSync(path.join(assets, name), body);
  return { metafile, assets };
}

/** Bundles a script with all that it needs but Node. */
async function bundleScript(entry: string, outfile: string, options: BuildOptions = {}) {
  const { metafile } = await build({
    ...options,
    entryPoints: [path.join(ROOT, entry)],
    outfile,
    bundle: true,
    platform: "node",
    target: "node24",
    format: "cjs",
    minify: true,
    metafile: true,
    legalComments: "none", // `flagstone licenses` prints them in full
    logLevel: "warning",
  });
  fs.writeFileSync(outfile, toAscii(fs.readFileSync(outfile, "utf8")));
  return metafile;
}

/** V8 needs two bytes per character if a single one is beyond Latin-1, and esbuild escapes none in regular expressions. */
const toAscii = (code: string) =>
  code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** What all of these contain. */
const merge = (...all: Metafile[]): Metafile => ({
  inputs: Object.assign({}, ...all.map(({ inputs }) => inputs)),
  outputs: Object.assign({}, ...all.map(({ outputs }) => outputs)),
});
