import assert from "node:assert/strict";
import { execFile, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { before, describe, type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { bundle } from "../../scripts/bundle.ts";
import { createWorld, personal } from "../support/world.ts";
import { toText } from "../transfer/examples.ts";

/*
 * The built executable as users have it: a single file, without our sources, in a bare environment.
 */

const run = promisify(execFile);
const BINARY = path.resolve("dist/flagstone-linux-x64");
const isHost = process.platform === "linux" && process.arch === "x64";
const isRoot = process.getuid?.() === 0;
const mayMount = spawnSync("unshare", ["-m", "mount", "-t", "tmpfs", "tmpfs", os.tmpdir()]).status === 0;

const READS = [
  "addons/1/events",
  "projects/a/features/f/environments/development/strategies",
  "projects/a/features",
  "events",
  "user-admin/1",
  "notifications",
  "personal-dashboard",
  "personal-dashboard/a",
];

const world = () => createWorld().project("a").feature("f", "a").integration().event({ project: "a" });

function folder(t: TestContext) {
  const made = fs.mkdtempSync(path.join(os.tmpdir(), "flagstone-executable-"));
  t.after(() => fs.rmSync(made, { recursive: true, force: true }));
  return made;
}

/** Starts a server with these arguments and waits until it listens. */
async function start(t: TestContext, command: string, args: string[], options: { cwd?: string } = {}) {
  const child = spawn(command, args, { env: {}, ...options });
  t.after(() => child.kill("SIGKILL"));
  let output = "";
  child.stderr.on("data", (text) => (output += text));
  for await (const text of child.stdout) {
    output += text;
    if (output.includes("\n") && /URL: .*\n/.test(output)) break;
  }
  const url = /URL: +(\S+)/.exec(output)?.[1];
  assert.ok(url, output);
  return { child, url, said: () => output };
}

/** The same, then sends the nine requests. */
async function requireNineAnswers(...starting: Parameters<typeof start>) {
  const { child, url, said } = await start(...starting);
  const headers = { authorization: personal(1), "content-type": "application/json" };
  const statuses = await Promise.all(
    READS.map(async (read) => (await fetch(`${url}/api/admin/${read}`, { headers })).status),
  );
  assert.deepEqual(new Set(statuses), new Set([200]));
  const search = await fetch(`${url}/api/admin/events/search`, {
    method: "POST",
    headers,
    body: '{"query":"user1"}',
  });
  assert.equal(((await search.json()) as { totalEvents: number }).totalEvents, 1);
  child.kill("SIGTERM");
  const [code] = child.exitCode === null ? await once(child, "exit") : [child.exitCode];
  assert.equal(code, 0, said());
}

/** A data file with the test world, created by the program itself. */
async function dataIn(place: string, command = BINARY, args: string[] = []) {
  const data = path.join(place, "flags.db");
  fs.writeFileSync(path.join(place, "world.jsonl"), toText(world().lines));
  await run(command, [...args, "import", path.join(place, "world.jsonl"), "--data", data], { env: {} });
  return data;
}

test("a bundle starts and serves without its script of what few starts need", async (t) => {
  const place = folder(t);
  const script = path.join(place, "flagstone.cjs");
  const { assets } = await bundle(`${process.platform}-${process.arch}`, script);
  fs.rmSync(path.join(assets, "on-demand.cjs"));
  const data = await dataIn(place, process.execPath, [script]);
  await requireNineAnswers(t, process.execPath, [script, "--port", "0", "--data", data]);
});

describe("the executable", { skip: !isHost && "it is tested on linux-x64" }, () => {
  before(() =>
    execFileSync(process.execPath, ["scripts/package.ts"], { stdio: ["ignore", "ignore", "inherit"] }),
  );

  test("imports, serves and exports without an environment, in another folder", async (t) => {
    const place = folder(t);
    const data = await dataIn(place);
    await requireNineAnswers(t, BINARY, ["--port", "0", "--data", data], { cwd: "/" });
    const { stdout } = await run(BINARY, ["export", "--data", data], { env: {} });
    assert.equal(stdout.split("\n").filter((line) => line.includes('"kind":"event"')).length, 1);
    assert.deepEqual(fs.readdirSync(place).sort(), ["flags.db", "world.jsonl"]);
  });

  test("two run at once, each on its own file", async (t) => {
    const files = await Promise.all([dataIn(folder(t)), dataIn(folder(t))]);
    await Promise.all(files.map((data) => requireNineAnswers(t, BINARY, ["--port", "0", "--data", data])));
  });

  test("serves HTTPS and metrics, whose code is loaded on demand", async (t) => {
    const place = folder(t);
    const [key, cert, data] = ["key.pem", "cert.pem", "flags.db"].map((name) => path.join(place, name));
    const making = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    execFileSync("openssl", [...making, "-subj", "/CN=x", "-keyout", key!, "-out", cert!], {
      stdio: "ignore",
    });
    const args = ["--port", "0", "--data", data!, "--tls-cert", cert!, "--tls-key", key!, "--metrics"];
    const { child, url } = await start(t, BINARY, args);
    assert.equal((await run(BINARY, ["health", url, "--tls-cert", cert!], { env: {} })).stdout, "ready\n");
    child.kill("SIGTERM");
    await once(child, "exit");
  });

  test("knows the commit it was built from", async () => {
    const { status, stdout: head } = spawnSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" });
    const { stdout } = await run(BINARY, ["version", "--json"], { env: {} });
    assert.equal(JSON.parse(stdout).commit, status === 0 ? head.trim() : null);
  });

  test("SIGUSR1 does not open a debugger", async (t) => {
    const { child, url, said } = await start(t, BINARY, [
      "--port",
      "0",
      "--data",
      path.join(folder(t), "flags.db"),
    ]);
    child.kill("SIGUSR1");
    assert.equal((await fetch(`${url}/health`)).status, 200);
    child.kill("SIGTERM");
    await once(child, "exit");
    assert.doesNotMatch(said(), /debugger/i);
  });

  test("ignores NODE_OPTIONS", async () => {
    const { stdout } = await run(BINARY, ["version"], { env: { NODE_OPTIONS: "--require /nonexistent.js" } });
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
  });

  test("prints the licences of its contents", async () => {
    const { stdout } = await run(BINARY, ["licenses"], { env: {}, maxBuffer: 2 ** 24 });
    for (const name of ["Apache License", "Node.js", "SQLite", "better-sqlite3", "h3 ", "valibot"]) {
      assert.ok(stdout.includes(name), name);
    }
  });

  test("runs as an unprivileged user from a read-only folder", {
    skip: !isRoot && "needs root",
  }, async (t) => {
    const program = folder(t);
    fs.copyFileSync(BINARY, path.join(program, "flagstone"));
    fs.chmodSync(program, 0o555);
    const place = folder(t);
    const data = await dataIn(place);
    execFileSync("chown", ["-R", "65534:65534", place]);
    const args = ["--reuid=65534", "--regid=65534", "--clear-groups", path.join(program, "flagstone")];
    await requireNineAnswers(t, "/usr/bin/setpriv", [...args, "--port", "0", "--data", data]);
  });

  test("explains what to do if there is no place to unpack SQLite, and uses the next place if there is one", {
    skip: !mayMount && "needs to mount small disks",
  }, (t) => {
    const [small, large] = [folder(t), folder(t)];
    const inSmallPlaces = (TMPDIR: string) => {
      const mount = "mount -t tmpfs -o size=1m tmpfs";
      const script = `${mount} /dev/shm && ${mount} ${small} && exec "$0" "$@"`;
      const data = path.join(large, "flags.db");
      const args = ["-m", "sh", "-c", script, BINARY, "import", "-", "--data", data];
      return spawnSync("unshare", args, { input: toText(world().lines), env: { TMPDIR }, encoding: "utf8" });
    };
    const { status, signal, stderr } = inSmallPlaces(small);
    assert.deepEqual([status, signal], [1, null], stderr);
    assert.match(stderr, /^flagstone: SQLite can't be unpacked in \S+: it needs \d MB .*TMPDIR\n$/);
    assert.equal(inSmallPlaces(large).status, 0);
  });

  test("runs in an empty root without /proc and /dev", { skip: !isRoot && "needs root" }, async (t) => {
    const root = folder(t);
    fs.chmodSync(root, 0o755);
    execFileSync("sh", ["scripts/container-root.sh", BINARY, root]); // as the Dockerfile does
    await dataIn(path.join(root, "data"));
    execFileSync("chown", ["-R", "65532:65532", path.join(root, "data")]);
    const args = ["--userspec=65532:65532", root, "/flagstone", "--port", "0", "--data", "/data/flags.db"];
    await requireNineAnswers(t, "/usr/sbin/chroot", args);
    assert.deepEqual(fs.readdirSync(path.join(root, "tmp")), [], "the native addon leaves nothing behind");
  });
});

const QEMU = "/usr/bin/qemu-aarch64-static";
const SYSROOT = "/usr/aarch64-linux-gnu";
const isArmThere = isHost && fs.existsSync(QEMU) && fs.existsSync(SYSROOT);

describe("the executable for linux-arm64, emulated", {
  skip: !isArmThere && `it needs ${QEMU} and the libraries in ${SYSROOT}`,
}, () => {
  test("imports and serves", { timeout: 120_000 }, async (t) => {
    execFileSync(process.execPath, ["scripts/package.ts", "linux-arm64"], { stdio: "ignore" });
    const data = await dataIn(folder(t));
    const args = ["-L", SYSROOT, path.resolve("dist/flagstone-linux-arm64"), "--port", "0", "--data", data];
    await requireNineAnswers(t, QEMU, args);
  });
});

describe("the systemd unit", () => {
  const isThere = spawnSync("systemd-analyze", ["--version"]).status === 0;
  test("is accepted by systemd", { skip: !isThere && "systemd-analyze is not installed" }, (t) => {
    const unit = path.join(folder(t), "flagstone.service");
    const text = fs.readFileSync("scripts/flagstone.service", "utf8");
    fs.writeFileSync(unit, text.replaceAll("/usr/local/bin/flagstone", process.execPath));
    const { status, stderr } = spawnSync("systemd-analyze", ["verify", unit], { encoding: "utf8" });
    assert.deepEqual([status, stderr], [0, ""]);
  });
});
