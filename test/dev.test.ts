import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import https from "node:https";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { temporaryFolder } from "./cli/run-cli.ts";
import { until } from "./support/receiver.ts";

/** `npm run dev` on a free port, with a browser that only writes down what it opens. */
async function startDev(t: TestContext, ...args: string[]) {
  const folder = temporaryFolder(t);
  const opened = path.join(folder, "opened");
  for (const name of ["xdg-open", "open"])
    fs.writeFileSync(path.join(folder, name), `#!/bin/sh\necho "$1" >> '${opened}'\n`, { mode: 0o755 });
  const child = spawn(process.execPath, ["scripts/dev.ts", "--port", "0", ...args], {
    env: { ...process.env, PATH: `${folder}:${process.env.PATH}` },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (chunk) => (output += chunk));
  t.after(async () => {
    child.kill();
    await once(child, "close");
  });
  /** The links so far, once there are so many. */
  const links = async (count: number) => {
    for (;;) {
      const found = [...output.matchAll(/^Open: +(\S+)$/gm)].map(([, link]) => link!);
      if (found.length >= count && output.includes("Try, in")) return found;
      await once(child.stdout, "data", { signal: AbortSignal.timeout(30_000) });
    }
  };
  return { links, opened, output: () => output };
}

test("npm run dev serves over TLS, opens the browser once, and starts again when a file has changed", {
  skip: process.platform === "win32",
}, async (t) => {
  const { links, opened } = await startDev(t, "--https", "--open");
  const [first] = await links(1);
  const [response] = await once(https.get(first!, { rejectUnauthorized: false }), "response");
  assert.deepEqual([response.statusCode, new URL(first!).protocol], [302, "https:"]);
  response.resume();
  const now = new Date();
  fs.utimesSync("src/main.ts", now, now);
  const [, second] = await links(2);
  assert.notEqual(second, first);
  assert.equal(fs.readFileSync(opened, "utf8"), `${first}\n`);
});

test("on all addresses, npm run dev shows the link as a QR code for a phone", async (t) => {
  const { links, output } = await startDev(t, "--host", "0.0.0.0");
  const [link] = await links(1);
  await until(() => output().includes("[QR code]"));
  assert.ok(output().includes(`${link} [QR code]`), output());
});
