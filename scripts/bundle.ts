import { execSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { type BuildOptions, build, type Metafile } from "esbuild";
import { collectLicenses } from "./licenses.ts";
import { pack } from "./packed-ui.ts";
import { bundleUi } from "./ui.ts";

const require = createRequire(import.meta.url);
export const ROOT = path.resolve(import.meta.dirname, "..");
export const DIST = path.join(ROOT, "dist");
/** Intermediate files. */
export const BUILD = path.join(ROOT, "build");

const here = (file: string) => path.join(ROOT, "scripts", file);

/** better-sqlite3's native addon for a platform such as `linux-x64` (Node's names). */
export const addonFor = (platform: string) =>
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
 * Bundles everything but Node into one CommonJS file.
 * @param addon the module that provides the bytes of the native addon
 * @returns esbuild's list of what the bundle contains
 */
export async function bundle(addon: string, outfile: string): Promise<Metafile> {
  const licenses = outfile.replace(/\.cjs$/, "-licenses.txt");
  const packedUi = outfile.replace(/\.cjs$/, "-ui.json");
  fs.mkdirSync(path.dirname(outfile), { recursive: true });
  const options: BuildOptions = {
    entryPoints: [path.join(ROOT, "src/main.ts")],
    outfile,
    bundle: true,
    platform: "node",
    target: "node24",
    format: "cjs",
    minify: true,
    legalComments: "none", // `flagstone licenses` prints them in full
    logLevel: "warning",
    define: { BUILD_COMMIT: JSON.stringify(commit()) },
    loader: { ".node": "binary", ".sql": "text", ".txt": "text" },
    alias: {
      "#addon": here("embedded-addon.ts"),
      "#addon-bytes": addon,
      "#licenses": here("embedded-licenses.ts"),
      "#licenses-text": licenses,
      "#ui": here("embedded-ui.ts"),
      "#ui-packed": packedUi,
    },
  };
  // The first pass finds out which packages are inside; the second embeds their licences.
  const [main, reference] = [await bundleUi("main"), await bundleUi("reference")];
  fs.writeFileSync(packedUi, JSON.stringify({ main: pack(main), reference: pack(reference) }));
  fs.writeFileSync(licenses, "");
  const server = await build({ ...options, metafile: true, write: false });
  const metafile = merge(server.metafile, main.metafile, reference.metafile);
  fs.writeFileSync(licenses, collectLicenses(metafile));
  await build(options);
  fs.writeFileSync(outfile, toAscii(fs.readFileSync(outfile, "utf8")));
  for (const file of [licenses, packedUi]) fs.rmSync(file);
  return metafile;
}

/** V8 needs two bytes per character if a single one is beyond Latin-1, and esbuild escapes none in regular expressions. */
const toAscii = (code: string) =>
  code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** The server's metafile and those of the pages embedded in it. */
const merge = (...all: Metafile[]): Metafile => ({
  inputs: Object.assign({}, ...all.map(({ inputs }) => inputs)),
  outputs: Object.assign({}, ...all.map(({ outputs }) => outputs)),
});
