import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { assertRefused, linesOf, runCli, serveHere, startServer, temporaryFolder } from "./run-cli.ts";

interface Curl {
  url: string;
  init: RequestInit;
}

/** The `curl` lines of an output as requests; a backslash at the end of a line continues it. */
function curls(stdout: string): Curl[] {
  const lines = stdout.replaceAll("\\\n", " ").split("\n");
  const variables = new Map(
    lines.flatMap((line) => [...line.matchAll(/^ +(\w+)=(\S+)$/g)].map((m) => [m[1], m[2]])),
  );
  const shell = (word: string) =>
    word.startsWith("'")
      ? word.slice(1, -1)
      : word.replace(/^"|"$/g, "").replace(/\$(\w+)/g, (_, name) => variables.get(name) ?? "");
  return lines
    .filter((line) => /^ *curl /.test(line))
    .map((line) => toCurl((line.replace(/ #.*/, "").match(/'[^']*'|"[^"]*"|\S+/g) ?? []).map(shell)));
}

function toCurl([, ...words]: string[]): Curl {
  const headers: Record<string, string> = {};
  let [url, body]: Array<string | undefined> = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (word === "-H") {
      const [name, value] = words[++at]!.split(": ");
      headers[name!] = value!;
    } else if (word === "-d") body = words[++at];
    else url = word;
  }
  return { url: url!, init: { headers, ...(body && { method: "POST", body }) } };
}

describe("demo", { concurrency: 2 }, () => {
  test("it prints an address, a token and example requests, all of which work", async (t) => {
    const cwd = temporaryFolder(t);
    const { output, url, token, stop } = await startServer(t, ["demo"], { cwd });
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.match(token!, /^user:[0-9a-f]{56}$/);
    const lines = curls(output.stdout);
    assert.equal(lines.length, 9, "one for each operation");
    for (const line of lines) {
      const reply = await fetch(line.url, line.init);
      assert.equal(reply.status, 200, `${line.url}: ${await reply.text()}`);
      assert.ok(line.url.startsWith(`${url}/api/admin/`));
    }
    const { code, stderr } = await stop("SIGINT");
    assert.equal(code, 0);
    assert.ok(!stderr.includes(token!));
    assert.deepEqual(fs.readdirSync(cwd), [], "nothing is stored");
  });

  test("its dataset is written to a file, and the printed command imports it", async (t) => {
    const folder = temporaryFolder(t);
    const { code, stdout, stderr } = await runCli(["demo", "--export", "demo.jsonl"], { cwd: folder });
    assert.equal(code, 0, stderr);
    assert.match(stderr, /info {2}exported to demo\.jsonl\n$/);
    assert.deepEqual(fs.readdirSync(folder), ["demo.jsonl"]);
    const commands = [...stdout.matchAll(/^ {2}flagstone (import|token) (.+)$/gm)];
    assert.deepEqual(
      commands.map(([, name]) => name),
      ["import", "token"],
    );
    for (const [, name, args = ""] of commands) {
      const result = await runCli([name!, ...args.split(" ")], { cwd: folder });
      assert.equal(result.code, 0, result.stderr);
    }
    assert.ok(linesOf(path.join(folder, "demo.db")).length > 4000);
  });

  test("its dataset is written to standard output too, but never over an existing file", async (t) => {
    const cwd = temporaryFolder(t);
    const { code, stdout } = await runCli(["demo", "--export", "-"], { cwd });
    assert.equal(code, 0);
    assert.equal(JSON.parse(stdout.split("\n")[0]!).kind, "dataset");
    assert.ok(stdout.endsWith("}\n"));
    fs.writeFileSync(path.join(cwd, "precious.txt"), "precious");
    const refused = await runCli(["demo", "--export", "precious.txt"], { cwd });
    assertRefused(refused, 1, "precious.txt already exists: name a new file");
    assert.equal(fs.readFileSync(path.join(cwd, "precious.txt"), "utf8"), "precious");
  });

  test("it accepts the operator's own secret", async (t) => {
    const env = { FLAGSTONE_ADMIN_TOKEN: "demo-secret-of-the-operator" };
    const { token, get, output } = await serveHere(t, ["demo"], { env });
    assert.equal(token, undefined);
    assert.match(output.stdout, /^Token: the one in FLAGSTONE_ADMIN_TOKEN$/m);
    assert.match(output.stdout, /^ {2}TOKEN=… {3}# the one in FLAGSTONE_ADMIN_TOKEN$/m);
    assert.ok(!output.stdout.includes("demo-secret-of-the-operator"));
    assert.equal((await get("/events", "demo-secret-of-the-operator")).status, 200);
  });
});
