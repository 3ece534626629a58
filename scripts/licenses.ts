import fs from "node:fs";
import path from "node:path";
import type { Metafile } from "esbuild";

const ROOT = path.resolve(import.meta.dirname, "..");

export interface Package {
  name: string;
  version: string;
  license: string;
  dependencies?: Record<string, string>;
  /** Relative to the root of the checkout. */
  folder: string;
}

/** The packages in a bundle, sorted by name, without those that were tree-shaken away. */
export function packagesIn({ outputs }: Metafile): Package[] {
  const files = Object.values(outputs).flatMap(({ inputs }) => Object.entries(inputs));
  const folders = files
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([file]) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]);
  return [...new Set(folders)]
    .filter((folder) => folder !== undefined)
    .map((folder) => {
      const described = JSON.parse(fs.readFileSync(path.join(ROOT, folder, "package.json"), "utf8"));
      return { folder, ...described, license: described.license ?? olderLicense(described) };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** npm's former format: a list of alternatives. */
const olderLicense = ({ licenses }: { licenses: ReadonlyArray<{ type: string }> }) =>
  licenses.map(({ type }) => type).join(" OR ");

/** The licence texts of Flagstone, Node, SQLite and every bundled package, each under a heading. */
export function collectLicenses(metafile: Metafile): string {
  const packages = packagesIn(metafile).map(({ name, version, license, folder }) => ({
    title: `${name} ${version} (${license})`,
    text: licenseIn(path.join(ROOT, folder)),
  }));
  const own = { title: "Flagstone (Apache-2.0)", text: fs.readFileSync(path.join(ROOT, "LICENSE"), "utf8") };
  const node = { title: "Node.js (MIT and others)", text: licenseIn(nodePackage()) };
  const sqlite = {
    title: "SQLite (public domain)",
    text: "The author disclaims copyright to the source code of SQLite.",
  };
  return [own, node, sqlite, ...packages]
    .map(({ title, text }) => `${title}\n${"=".repeat(title.length)}\n\n${text}`)
    .join("\n\n");
}

/** The folder of the running Node; its licence is the same on every platform. */
const nodePackage = () => path.resolve(process.execPath, "../..");

/**
 * The licence and any notice that has to accompany it; some packages have a folder of licences, or contain others, whose
 * licences are beside the file that contains them.
 */
function licenseIn(folder: string): string {
  const isText = ({ name }: fs.Dirent) =>
    /^(licen[cs]e|copying|notice)|es-bundle\.js\.licen[cs]e/i.test(name);
  const texts = fs
    .readdirSync(folder, { withFileTypes: true })
    .filter(isText)
    .flatMap((entry) => textsIn(path.join(folder, entry.name)));
  return texts.length > 0 ? texts.join("\n\n") : "(the package does not include the text)";
}

const textsIn = (place: string): string[] =>
  fs.statSync(place).isDirectory()
    ? fs.readdirSync(place).flatMap((name) => textsIn(path.join(place, name)))
    : [fs.readFileSync(place, "utf8").trim()];
