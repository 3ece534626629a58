import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { parse } from "../../src/cli/command.ts";
import { importCommand } from "../../src/cli/import.ts";
import { SCHEMA_VERSION } from "../../src/db/migrations.ts";
import { createWorld } from "../support/world.ts";
import { assertRefused, dataFile, runCli, runHere, serveHere, temporaryFolder } from "./run-cli.ts";

const { version } = JSON.parse(fs.readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

const EMPTY = '{"kind":"dataset","version":1}\n';

/** The arguments, the error message, and the command whose help it points to. */
const MISUSES: ReadonlyArray<[args: string[], message: string, help: string, env?: Record<string, string>]> =
  [
    [["bogus"], "Unknown command bogus", ""],
    [["token"], "Unknown command token: must be one of token create, token list, token revoke", ""],
    [
      ["user", "delete"],
      "Unknown command user delete: must be one of user create, user list, user link, user reset-second-factor",
      "",
    ],
    [["run"], "run needs -- COMMAND, for example: flagstone run --seed flags.json -- npm test", " run"],
    [["start"], "Unknown command start: did you mean serve?", ""],
    [["strat"], "Unknown command strat: did you mean serve?", ""],
    [["srve"], "Unknown command srve: did you mean serve?", ""],
    [["--DATA", "x.db"], "Unknown option '--DATA': did you mean --data?", " serve"],
    [["exprot"], "Unknown command exprot: did you mean export?", ""],
    [["--verison"], "Unknown option '--verison': did you mean --version?", " serve"],
    [["export", "--with-secret"], "Unknown option '--with-secret': did you mean --with-secrets?", " export"],
    [["export", "--hlep"], "Unknown option '--hlep': did you mean --help?", " export"],
    [["help", "bogus"], "Unknown command bogus", ""],
    [["help", "tokn"], "Unknown command tokn: did you mean token create or token list or token revoke?", ""],
    [["help", "tokn", "lst"], "Unknown command tokn lst: did you mean token list?", ""],
    [["flg", "on", "x"], "Unknown command flg on: did you mean flag on?", ""],
    [
      ["help", "token", "bogus"],
      "Unknown command token bogus: must be one of token create, token list, token revoke",
      "",
    ],
    [["--bogus"], "Unknown option '--bogus'", " serve"],
    [["serve", "--bogus"], "Unknown option '--bogus'", " serve"],
    [["export", "--port", "1"], "Unknown option '--port'", " export"],
    [["--version", "extra"], "version does not take the argument extra", " version"],
    [
      ["import"],
      "import needs FILE|-, for example: flagstone import backup.jsonl --data flags.db",
      " import",
    ],
    [
      ["token", "create"],
      "token create needs NAME, for example: flagstone token create ci --user admin --expires 2027-01-01T00:00:00Z",
      " token create",
    ],
    [["serve", "--port"], "--port needs a value", " serve"],
    [["serve", "--quiet=no"], "--quiet takes no value", " serve"],
    [["serve", "--metrics=maybe"], "--metrics takes no value", " serve"],
    [["export", "--data", "--with-secrets"], "--data needs a value", " export"],
    [["serve", "--port", "x"], '--port: "x" must be a number from 0 to 65535', " serve"],
    [["serve", "--port", "65536"], '--port: "65536" must be a number from 0 to 65535', " serve"],
    [["serve", "--host", "a b"], '--host: "a b" must be a host name or an address', " serve"],
    [["serve", "--host", "http://x/"], '--host: "http://x/" must be a host name or an address', " serve"],
    [["serve", "--data", ":memory:"], '--data: ":memory:" must name a file', " serve"],
    [["export", "--data", "file:x?mode=memory"], '--data: "file:x?mode=memory" must name a file', " export"],
    [
      ["serve", "--public-url", "https://me:secret@x.example/flags"],
      "--public-url: must not contain credentials",
      " serve",
    ],
    [
      ["serve", "--public-url", "https://x.example/?key=secret"],
      "--public-url: must end before a ? or #",
      " serve",
    ],
    [
      [],
      "FLAGSTONE_PUBLIC_URL: must be an address such as https://flags.example.com",
      " serve",
      { FLAGSTONE_PUBLIC_URL: "x.example" },
    ],
    [["serve", "--log-format", "xml"], '--log-format: "xml" must be json or pretty', " serve"],
    [
      [],
      'FLAGSTONE_PORT: "tcp://1" must be a number from 0 to 65535',
      " serve",
      { FLAGSTONE_PORT: "tcp://1" },
    ],
    [[], 'FLAGSTONE_HOST: "a b" must be a host name or an address', " serve", { FLAGSTONE_HOST: "a b" }],
    [["export"], 'FLAGSTONE_DATA: ":memory:" must name a file', " export", { FLAGSTONE_DATA: ":memory:" }],
    [
      ["demo"],
      'FLAGSTONE_LOG_FORMAT: "JSON" must be json or pretty',
      " demo",
      { FLAGSTONE_LOG_FORMAT: "JSON" },
    ],
    [
      ["demo"],
      'FLAGSTONE_LOG_LEVEL: "loud" must be one of error, warn, info, debug',
      " demo",
      { FLAGSTONE_LOG_LEVEL: "loud" },
    ],
    [
      ["demo", "--quiet", "--log-level", "info"],
      "--quiet and --log-level info contradict each other: give one of them",
      " demo",
    ],
    [
      ["demo"],
      "--quiet and --log-level debug contradict each other: give one of them",
      " demo",
      { FLAGSTONE_LOG_LEVEL: "debug", FLAGSTONE_QUIET: "1" },
    ],
    [["demo"], 'FLAGSTONE_QUIET: "maybe" must be true or false', " demo", { FLAGSTONE_QUIET: "maybe" }],
  ];

for (const [args, message, help, env = {}] of MISUSES) {
  const shown = [...Object.entries(env).map(([name, value]) => `${name}=${value}`), "flagstone", ...args];
  test(`${shown.join(" ")} is refused with a message and a pointer to the help`, async () => {
    assertRefused(await runHere(args, { env }), 2, message, help);
  });
}

test("an option that swallows the next one is named", async () => {
  const { code, stderr } = await runHere(["serve", "--port", "--quiet"]);
  assert.equal(code, 2);
  assert.match(stderr, /^flagstone: .*--port/);
  assert.match(stderr, /\nTry: flagstone help serve\n$/);
});

describe("wrong usage exits with 2 and creates no file", { concurrency: 4 }, () => {
  for (const [args, message, help, env] of [
    [["bogus"], "Unknown command bogus", "", {}],
    [["serve", "--bogus"], "Unknown option '--bogus'", " serve", {}],
    [[], 'FLAGSTONE_PORT: "x" must be a number from 0 to 65535', " serve", { FLAGSTONE_PORT: "x" }],
  ] as const) {
    test(`flagstone ${args.join(" ")}`, async (t) => {
      const cwd = temporaryFolder(t);
      assertRefused(await runCli(args, { env, cwd }), 2, message, help);
      assert.deepEqual(fs.readdirSync(cwd), []);
    });
  }
});

describe("the version", { concurrency: 4 }, () => {
  for (const [args, expected] of [
    [["--version"], `${version}\n`],
    [["-v"], `${version}\n`],
    [["version"], `${version}\n`],
  ] as const) {
    test(`flagstone ${args.join(" ")} is that of the package`, async () => {
      assert.deepEqual(await runHere(args), { code: 0, stdout: expected, stderr: "" });
    });
  }
});

test("the version as JSON lists the components; a checkout has no commit", async () => {
  const { code, stdout } = await runHere(["version", "--json"]);
  const { sqlite, ...rest } = JSON.parse(stdout);
  assert.equal(code, 0);
  assert.match(sqlite, /^3\.\d+\.\d+$/);
  assert.deepEqual(rest, { version, commit: null, schema: SCHEMA_VERSION, node: process.versions.node });
});

describe("a flag takes precedence over the variable, and the variable over the default", {
  concurrency: 4,
}, () => {
  const variable = { FLAGSTONE_DATA: "variable.db" };
  for (const [name, args, env, expected] of [
    ["nothing is set", [], {}, "flagstone.db"],
    ["the variable is empty", [], { FLAGSTONE_DATA: "" }, "flagstone.db"],
    ["the variable is set", [], variable, "variable.db"],
    ["both are given", ["--data", "flag.db"], variable, "flag.db"],
    ["the flag is given twice", ["--data", "flag.db", "--data=last.db"], variable, "last.db"],
  ] as const) {
    test(`the data file is ${expected} if ${name}`, () => {
      assert.equal(parse(importCommand, ["-", ...args], env).config.data, expected);
    });
  }

  for (const [name, args, env, expected] of [
    ["nothing is set", [], {}, /^2\S+Z info {2}imported 0 lines source=- data=\S+ by=.+\n$/],
    ["json is set by the flag", ["--log-format", "json"], {}, /^\{"time":"2.*,"message":"imported 0 lines"/],
    ["json is set by the variable", [], { FLAGSTONE_LOG_FORMAT: "json" }, /^\{"time":"2/],
    ["the flag wins", ["--log-format", "pretty"], { FLAGSTONE_LOG_FORMAT: "json" }, /^2\S+Z info/],
    ["quiet is set by the flag", ["--quiet"], {}, /^$/],
    ["quiet is set by the variable", [], { FLAGSTONE_QUIET: "Yes" }, /^$/],
    ["the level is error", ["--log-level", "error"], {}, /^$/],
    ["both quiet and the level are set", ["--log-level", "error", "--quiet"], {}, /^$/],
    [
      "the flag for the level overrides the variable for quiet",
      ["--log-level", "info"],
      { FLAGSTONE_QUIET: "1" },
      /imported/,
    ],
    [
      "the flag for quiet overrides the variable for the level",
      ["--quiet"],
      { FLAGSTONE_LOG_LEVEL: "debug" },
      /^$/,
    ],
    ["quiet is disabled by the variable", [], { FLAGSTONE_QUIET: "0" }, /imported/],
  ] as const) {
    test(`the log follows the settings if ${name}`, async (t) => {
      const data = path.join(temporaryFolder(t), "flags.db");
      const { code, stderr } = await runHere(["import", "-", "--data", data, ...args], { input: EMPTY, env });
      assert.equal(code, 0);
      assert.match(stderr, expected);
    });
  }

  test("the port has a short option", async () => {
    assertRefused(await runHere(["-p", "x"]), 2, '--port: "x" must be a number from 0 to 65535', " serve");
  });

  test("host and port are read from the variables if there is no flag, and a flag hides an invalid variable", async (t) => {
    const data = path.join(temporaryFolder(t), "flags.db");
    const env = { FLAGSTONE_HOST: "localhost", FLAGSTONE_PORT: "nonsense" };
    const { url, get } = await serveHere(t, ["serve", "--data", data], { env });
    assert.match(url, /^http:\/\/localhost:\d+$/);
    assert.equal((await get("/events")).status, 200);
  });
});

for (const [variable, warning] of [
  ["FLAGSTONE_PROT", /^\S+ warn {2}unknown variable FLAGSTONE_PROT: did you mean FLAGSTONE_PORT\?\n$/],
  ["FLAGSTONE_ADMIN_TOKEN_FIEL", /did you mean FLAGSTONE_ADMIN_TOKEN_FILE\?/],
  ["FLAGSTONE_LOGLEVEL", /did you mean FLAGSTONE_LOG_LEVEL\?/],
  ["FLAGSTONE_PORT", /^$/],
  ["FLAGSTONE_SERVICE_HOST", /^$/], // set by Kubernetes
  ["FLAGSTONE_PORT_4242_TCP", /^$/],
] as const) {
  test(`the variable ${variable} is ${warning.source === "^$" ? "ignored" : "reported"}`, async (t) => {
    const data = await dataFile(t, createWorld().lines);
    const { code, stderr } = await runHere(["user", "list", "--data", data], {
      env: { [variable]: "/nowhere" },
    });
    assert.equal(code, 0);
    assert.match(stderr, warning);
  });
}

test("control characters in a name are escaped in the error", async () => {
  assertRefused(await runHere(["x\u001b[31m\nstatus=200"]), 2, "Unknown command x\\u001b[31m\\nstatus=200");
});

test("settings that a command does not use can't stop it", async (t) => {
  const file = await dataFile(t, createWorld().lines);
  const env = { FLAGSTONE_PORT: "tcp://10.0.0.1:4242" }; // set by Kubernetes for a service named flagstone
  const { code, stderr } = await runHere(["user", "list", "--data", file], { env });
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
});
