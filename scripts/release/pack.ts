import { execFileSync } from "node:child_process";
import crypto from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { VERSION } from "../../src/lib/version.ts";
import { ROOT } from "../bundle.ts";
import type { Executable } from "../executable.ts";
import { collectLicenses } from "../licenses.ts";
import { tarball, zip } from "./archive.ts";
import { billOfMaterials } from "./bill-of-materials.ts";
import { installText } from "./install-text.ts";

/** Files and folders copied from the checkout. */
const DOCUMENTS = ["LICENSE", "README.md", "CHANGELOG.md", "SECURITY.md", "CONTRIBUTING.md", "docs"];

/** Copied into the archives for Linux only. */
const DEPLOYING = ["flagstone.service", "Dockerfile", "container-root.sh"].map((name) => `scripts/${name}`);

/**
 * Packs an executable with its documents, and writes its bill of materials next to the archive.
 * @returns the files created in `folder`
 */
export async function pack(executable: Executable, folder: string): Promise<string[]> {
  const { target } = executable;
  const name = `flagstone-${VERSION}-${target}`;
  const at = lastChange();
  const bill = await billOfMaterials(executable, at);
  const staged = stage(executable, path.join(folder, name), bill);
  const isWindows = target.startsWith("win");
  const files: Array<[file: string, content: Uint8Array | string]> = [
    [`${name}.${isWindows ? "zip" : "tar.gz"}`, (isWindows ? zip : tarball)(staged, at)],
    [`${name}.cdx.json`, bill],
  ];
  fs.rmSync(staged, { recursive: true });
  return files.map(([file, content]) => {
    fs.writeFileSync(path.join(folder, file), content);
    return path.join(folder, file);
  });
}

/** Creates the folder to pack. */
function stage({ target, file, metafile }: Executable, folder: string, bill: string): string {
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  const put = (name: string, content: string | Uint8Array, mode = 0o644) => {
    const copy = path.join(folder, name);
    fs.mkdirSync(path.dirname(copy), { recursive: true, mode: 0o755 });
    fs.writeFileSync(copy, content);
    fs.chmodSync(copy, mode); // regardless of the umask
  };
  for (const name of documents()) put(name, fs.readFileSync(path.join(ROOT, name)));
  put("LICENSES.txt", `${collectLicenses(metafile)}\n`);
  put("INSTALL.txt", installText(target, VERSION));
  put("sbom.cdx.json", bill);
  for (const name of target.startsWith("linux") ? DEPLOYING : []) {
    put(name, fs.readFileSync(path.join(ROOT, name)));
  }
  put(`flagstone${path.extname(file)}`, fs.readFileSync(file), 0o755);
  return folder;
}

const documents = () =>
  DOCUMENTS.filter((name) => fs.existsSync(path.join(ROOT, name))).flatMap((name) =>
    fs.statSync(path.join(ROOT, name)).isFile() ? [name] : filesIn(name),
  );

const filesIn = (folder: string) =>
  fs
    .readdirSync(path.join(ROOT, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(path.relative(ROOT, entry.parentPath), entry.name));

/** When the sources were last changed; the same for everyone who packs the same commit. */
function lastChange(): Date {
  const epoch = process.env.SOURCE_DATE_EPOCH;
  if (epoch) return new Date(Number(epoch) * 1000);
  try {
    const command = ["log", "-1", "--format=%ct"];
    return new Date(
      Number(execFileSync("git", command, { cwd: ROOT, stdio: ["ignore", "pipe", "ignore"] })) * 1000,
    );
  } catch {
    return new Date("2026-01-01T00:00:00Z"); // outside a repository
  }
}

/** Writes SHA256SUMS, in the form that `sha256sum --check` reads. */
export function writeChecksums(files: string[], folder: string): string {
  const lines = files.map((file) => {
    const hash = crypto.createHash("sha256").update(fs.readFileSync(file)).digest("hex");
    return `${hash}  ${path.basename(file)}\n`;
  });
  const sums = path.join(folder, "SHA256SUMS");
  fs.writeFileSync(sums, lines.sort((a, b) => (a.slice(66) < b.slice(66) ? -1 : 1)).join(""));
  return sums;
}
