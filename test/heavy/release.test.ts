import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { Spec, Validation } from "@cyclonedx/cyclonedx-library";
import { strFromU8, unzipSync } from "fflate";
import { type Executable, HOST, makeExecutable } from "../../scripts/executable.ts";
import { pack, writeChecksums } from "../../scripts/release/pack.ts";
import { VERSION } from "../../src/lib/version.ts";

/*
 * The archives of a release: their contents, and whether the bill of materials lists what the executable contains.
 */

interface Part {
  name: string;
  group?: string;
  version: string;
  purl?: string;
  hashes?: Array<{ alg: string; content: string }>;
  licenses?: object[];
  components?: Part[];
}

const made = fs.mkdtempSync(path.join(os.tmpdir(), "flagstone-release-"));
const NAME = `flagstone-${VERSION}-${HOST}`;
const PROGRAM = path.join(made, "unpacked", NAME, "flagstone");
const inArchive = (name: string) => path.join(made, "unpacked", NAME, name);

describe("a release", { skip: HOST !== "linux-x64" && "it is tested on linux-x64" }, () => {
  let executable: Executable;
  let files: string[];
  let parts: Part[];
  before(async () => {
    executable = await makeExecutable(HOST, path.join(made, "dist"), path.join(made, "build"));
    files = await pack(executable, made);
    fs.mkdirSync(path.join(made, "unpacked"));
    execFileSync("tar", ["-xzf", files[0]!, "-C", path.join(made, "unpacked")]);
    parts = JSON.parse(fs.readFileSync(inArchive("sbom.cdx.json"), "utf8")).components;
  });
  after(() => fs.rmSync(made, { recursive: true }));

  test("has the version and the target in its file names", () => {
    assert.deepEqual(
      files.map((file) => path.basename(file)),
      [`${NAME}.tar.gz`, `${NAME}.cdx.json`],
    );
  });

  test("contains the executable, its licences and instructions", () => {
    const names = fs.readdirSync(path.join(made, "unpacked", NAME));
    for (const name of ["LICENSE", "LICENSES.txt", "README.md", "INSTALL.txt", "docs", "scripts"]) {
      assert.ok(names.includes(name), name);
    }
    assert.equal(fs.statSync(PROGRAM).mode & 0o777, 0o755);
    const [printed, packed] = [
      execFileSync(PROGRAM, ["licenses"], { encoding: "utf8", maxBuffer: 2 ** 24 }),
      fs.readFileSync(inArchive("LICENSES.txt"), "utf8"),
    ];
    assert.equal(packed, printed);
  });

  test("contains everything that its pages link to", () => {
    const root = path.join(made, "unpacked", NAME);
    const pages = fs
      .readdirSync(root, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md"));
    const broken = pages.flatMap((page) =>
      [...fs.readFileSync(path.join(root, page), "utf8").matchAll(/\]\((?!\w+:)([\w./-]+)/g)]
        .map(([, link = ""]) => path.join(path.dirname(page), link))
        .filter((link) => !fs.existsSync(path.join(root, link))),
    );
    assert.deepEqual(broken, []);
  });

  test("has a bill of materials that matches the CycloneDX schema, also next to the archive", async () => {
    const text = fs.readFileSync(files[1]!, "utf8");
    assert.equal(await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text), null);
    assert.equal(fs.readFileSync(inArchive("sbom.cdx.json"), "utf8"), text);
  });

  test("lists exactly the packages with bytes in the bundle", () => {
    const files = Object.values(executable.metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs));
    const used = files
      .filter(([file, { bytesInOutput }]) => bytesInOutput > 0 && file.includes("node_modules/"))
      .map(([file]) => file.split("node_modules/").at(-1)!.split("/"))
      .map(([first = "", second]) => (first.startsWith("@") ? `${first}/${second}` : first));
    const listed = parts.filter(({ purl }) => purl?.startsWith("pkg:npm/"));
    assert.deepEqual(
      listed.map(({ group, name }) => (group ? `${group}/${name}` : name)).sort(),
      [...new Set(used)].sort(),
    );
    for (const { name, version, hashes, licenses } of listed) {
      assert.match(version, /^\d+\.\d+\.\d+/, name);
      assert.match(hashes?.[0]?.content ?? "", /^[\da-f]{128}$/, name);
      assert.ok(licenses?.[0], name);
    }
  });

  test("omits build tools", () => {
    const { packages } = JSON.parse(fs.readFileSync("package-lock.json", "utf8"));
    const { devDependencies } = packages[""];
    assert.deepEqual(
      parts.filter(({ name }) => name in devDependencies && packages[`node_modules/${name}`].dev),
      [],
    );
  });

  test("lists the Node and the SQLite that the executable reports", () => {
    const { node, sqlite } = JSON.parse(execFileSync(PROGRAM, ["version", "--json"], { encoding: "utf8" }));
    const version = (wanted: string) => parts.find(({ name }) => name === wanted)?.version;
    assert.deepEqual([version("node"), version("sqlite")], [node, sqlite]);
    const openssl = parts
      .find(({ name }) => name === "node")
      ?.components?.find(({ name }) => name === "openssl");
    assert.equal(openssl?.version, process.versions.openssl);
  });

  test("has a version for everything it lists", () => {
    const all = parts.flatMap((part) => [part, ...(part.components ?? [])]);
    assert.deepEqual(
      all.filter(({ version }) => !version),
      [],
    );
  });

  test("has checksums that sha256sum can check", () => {
    const sums = writeChecksums(files, made);
    execFileSync("sha256sum", ["--check", "--strict", path.basename(sums)], { cwd: made, stdio: "ignore" });
    assert.equal(fs.readFileSync(sums, "utf8").trim().split("\n").length, 2);
  });

  for (const target of ["linux-arm64", "win-x64"] as const) {
    test(`for ${target} has the same bytes whenever it is packed`, async () => {
      const file = path.join(made, target === "win-x64" ? "some.exe" : "some");
      fs.writeFileSync(file, "stands for an executable");
      const pretended = { ...executable, target, file };
      const bytes = async () => fs.readFileSync((await pack(pretended, made))[0]!);
      const first = await bytes();
      assert.ok(first.equals(await bytes()));
    });
  }

  test("for Windows is a zip", async () => {
    const file = path.join(made, "some.exe");
    fs.writeFileSync(file, "stands for an executable");
    const [archive] = await pack({ ...executable, target: "win-x64", file }, made);
    const content = unzipSync(fs.readFileSync(archive!));
    const root = `flagstone-${VERSION}-win-x64`;
    assert.equal(strFromU8(content[`${root}/flagstone.exe`]!), "stands for an executable");
    assert.match(strFromU8(content[`${root}/INSTALL.txt`]!), /flagstone\.exe demo/);
    assert.ok(`${root}/LICENSES.txt` in content);
  });
});
