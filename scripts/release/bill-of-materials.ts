import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { Enums, Models, Serialize, Spec, Validation } from "@cyclonedx/cyclonedx-library";
import { sqliteVersion } from "../../src/db/connect.ts";
import { VERSION } from "../../src/lib/version.ts";
import { ROOT } from "../bundle.ts";
import type { Executable } from "../executable.ts";
import { type Package, packagesIn } from "../licenses.ts";

const { Component } = Models;

/** Entries of `process.versions` that are not libraries: Node itself and ABI versions. */
const NOT_LIBRARIES: readonly string[] = ["node", "modules", "napi"];

/**
 * The contents of an executable as CycloneDX JSON: the bundled packages, SQLite, and Node with its built-in libraries.
 * Build tools and tree-shaken packages are not listed.
 * @throws Error if the result does not match the CycloneDX schema.
 */
export async function billOfMaterials(executable: Executable, at: Date): Promise<string> {
  const component = new Component(Enums.ComponentType.Application, "flagstone", {
    version: VERSION,
    bomRef: "flagstone",
    licenses: licensed("Apache-2.0"),
    hashes: new Models.HashDictionary([[Enums.HashAlgorithm["SHA-256"], sha256(executable.file)]]),
  });
  const bom = new Models.Bom({ metadata: new Models.Metadata({ timestamp: at, component }) });
  const node = nodeOf(executable.versions);
  for (const part of [node, ...packagesAndSqlite(packagesIn(executable.metafile))]) {
    bom.components.add(part);
    component.dependencies.add(part.bomRef);
  }
  const normalizers = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6);
  const text = new Serialize.JsonSerializer(normalizers).serialize(bom, { sortLists: true, space: 2 });
  await requireValid(text);
  return text;
}

async function requireValid(text: string) {
  const problem = await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text);
  if (problem !== null)
    throw new Error(`The bill of materials is not valid CycloneDX: ${JSON.stringify(problem)}`);
}

function packagesAndSqlite(packages: Package[]) {
  const integrity = lockedIntegrity();
  const parts = new Map(packages.map((one) => [one.name, toComponent(one, integrity(one.folder))]));
  for (const { name, dependencies = {} } of packages) {
    for (const needed of Object.keys(dependencies)) {
      const part = parts.get(needed); // undefined if tree-shaken away
      if (part) parts.get(name)!.dependencies.add(part.bomRef);
    }
  }
  const sqlite = sqliteOf(sqliteVersion());
  parts.get("better-sqlite3")?.dependencies.add(sqlite.bomRef);
  return [...parts.values(), sqlite];
}

/** Looks up the checksum of a package's archive in the lock file. */
function lockedIntegrity() {
  const { packages } = JSON.parse(fs.readFileSync(path.join(ROOT, "package-lock.json"), "utf8"));
  return (folder: string): string | undefined => packages[folder]?.integrity;
}

function toComponent({ name: fullName, version, license }: Package, integrity: string | undefined) {
  const [name = "", group] = fullName.split("/").reverse();
  const purl = `pkg:npm/${fullName.replace("@", "%40")}@${version}`;
  const hashes = new Models.HashDictionary();
  const sha512 = /^sha512-(\S+)$/.exec(integrity ?? "")?.[1];
  if (sha512) hashes.set(Enums.HashAlgorithm["SHA-512"], Buffer.from(sha512, "base64").toString("hex"));
  return new Component(Enums.ComponentType.Library, name, {
    ...(group !== undefined && { group }),
    version,
    purl,
    bomRef: purl,
    licenses: licensed(license),
    hashes,
  });
}

/** An SPDX identifier or expression. */
const licensed = (license: string) =>
  new Models.LicenseRepository([
    license.includes(" ")
      ? new Models.LicenseExpression(license)
      : new Models.SpdxLicense(license as ConstructorParameters<typeof Models.SpdxLicense>[0]),
  ]);

const sqliteOf = (version: string) =>
  new Component(Enums.ComponentType.Library, "sqlite", {
    version,
    bomRef: `sqlite@${version}`,
    purl: `pkg:generic/sqlite@${version}`,
    cpe: `cpe:2.3:a:sqlite:sqlite:${version}:*:*:*:*:*:*:*`,
    licenses: licensed("blessing"),
  });

function nodeOf(versions: Executable["versions"]) {
  const version = versions.node!;
  const libraries = Object.entries(versions).filter(
    ([name, version]) => version !== "" && !NOT_LIBRARIES.includes(name), // an empty version means it is not built in
  );
  return new Component(Enums.ComponentType.Platform, "node", {
    version,
    bomRef: `node@${version}`,
    purl: `pkg:generic/node@${version}`,
    cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
    licenses: licensed("MIT"),
    components: new Models.ComponentRepository(
      libraries.map(
        ([name, version]) =>
          new Component(Enums.ComponentType.Library, name, { version, bomRef: `node/${name}@${version}` }),
      ),
    ),
  });
}

const sha256 = (file: string) => createHash("sha256").update(fs.readFileSync(file)).digest("hex");
