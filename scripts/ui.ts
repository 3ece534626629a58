import crypto from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import zlib from "node:zlib";
import { build, type Metafile, stop } from "esbuild";
import { type Ui, UiFile } from "../src/http/page.ts";

const ROOT = path.resolve(import.meta.dirname, "..");
const UI = path.join(ROOT, "src/ui");

const brotli = promisify(zlib.brotliCompress);

const TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Bundles `src/ui` in memory. @returns its files, and esbuild's list of what they contain */
export async function bundleUi(): Promise<Ui & { metafile: Metafile }> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ["main.tsx", "main.css"].map((name) => path.join(UI, name)),
    outdir: "/assets",
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
    loader: { ".svg": "text" },
    legalComments: "none", // `flagstone licenses` prints them in full
    logLevel: "warning",
    minify: true,
    metafile: true,
    write: false,
  });
  const icon = await iconFile();
  const compressing = outputFiles.map(({ path: file, contents }) =>
    toFile(path.basename(file), Buffer.from(contents)),
  );
  const files = await Promise.all(compressing);
  const named = (pattern: RegExp) => files.find(({ name }) => pattern.test(name))!.name;
  const of = (extension: string) => named(new RegExp(`^main-.*${extension}$`));
  const names = {
    script: of("js"),
    imports: importsOf(of("js"), metafile),
    styles: of("css"),
    icon: icon.name,
  };
  return { files: [...files, icon], ...names, metafile };
}

/** All that a file imports statically, directly or not. */
function importsOf(name: string, { outputs }: Metafile): string[] {
  const byName = new Map(
    Object.entries(outputs).map(([file, { imports }]) => [path.basename(file), imports]),
  );
  const found = new Set([name]);
  for (const one of found)
    for (const { kind, path: file } of byName.get(one)!)
      if (kind === "import-statement") found.add(path.basename(file));
  return [...found].slice(1);
}

/** Stops the esbuild process, which otherwise waits for the next bundle. */
export const endBundling = stop;

async function iconFile() {
  const body = fs.readFileSync(path.join(UI, "icon.svg"));
  return toFile(`icon-${crypto.hash("sha256", body).slice(0, 8)}.svg`, body);
}

async function toFile(name: string, body: Buffer): Promise<UiFile> {
  return new UiFile(name, TYPES[path.extname(name)]!, await brotli(body));
}

/** What a build keeps of the page beside its files. */
export interface Packed extends Omit<Ui, "files"> {
  files: Array<Pick<UiFile, "name" | "type">>;
}

/** The page as assets of a build: its compressed files, and a list of them. */
export function packUi({ files, script, imports, styles, icon }: Ui): Array<[name: string, body: Buffer]> {
  const list: Packed = {
    script,
    imports,
    styles,
    icon,
    files: files.map(({ name, type }) => ({ name, type })),
  };
  return [
    ["page.json", Buffer.from(JSON.stringify(list))],
    ...files.map(({ name, br }): [string, Buffer] => [name, br]),
  ];
}
