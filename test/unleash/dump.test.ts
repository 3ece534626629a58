import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import { hashSecret } from "../../src/access/token.ts";
import { DatasetError } from "../../src/dataset/kind.ts";
import { importLines, tryLines } from "../../src/transfer/import.ts";
import { dumpLines, type LeftOut } from "../../src/unleash/from-dump.ts";
import { asChunks } from "../support/server.ts";
import { exported } from "../transfer/examples.ts";
import { empty, lastOf, lines } from "../transfer/importing.ts";
import { dumpOf, TABLES, type Tables, withRows } from "./dumps.ts";

async function importDump(t: TestContext, dump: string | Buffer) {
  const db = empty(t);
  let leftOut: LeftOut[] = [];
  const counts = await importLines(
    db,
    dumpLines(asChunks(dump), (all) => (leftOut = all)),
  );
  return { db, counts, leftOut };
}

/** The lines of a kind after importing a dump. */
const imported = async (t: TestContext, tables: Tables, kind: string) =>
  lastOf((await importDump(t, dumpOf(tables))).db, kind);

test("flags come with their strategies, in the shape that they have here", async (t) => {
  assert.deepEqual(await imported(t, TABLES, "feature"), {
    kind: "feature",
    name: "cart",
    project: "default",
    type: "release",
    stale: false,
    impressionData: false,
    createdAt: "2026-01-01T21:34:05.000Z",
    potentiallyStale: true,
    stages: [],
    tags: [],
    favoritedBy: [],
    dependencies: [],
    environments: [
      {
        name: "development",
        enabled: true,
        variants: [],
        strategies: [
          {
            id: "s1",
            name: "flexibleRollout",
            disabled: false,
            sortOrder: 0,
            segments: [],
            constraints: [
              {
                contextName: "userId",
                operator: "IN",
                caseInsensitive: false,
                inverted: false,
                values: ["7"],
              },
            ],
            variants: [],
            parameters: { rollout: "50" },
          },
        ],
      },
    ],
  });
});

test("events keep their ids, in their order, also of unknown types and of projects that are gone", async (t) => {
  const { db } = await importDump(t, dumpOf(TABLES));
  const rows = db
    .prepare("SELECT id, type, project, wire ->> 'createdAt' AS at FROM events ORDER BY id")
    .all();
  assert.deepEqual(rows, [
    { id: 4, type: "feature-created", project: "gone", at: "2026-01-02T03:04:05.000Z" },
    { id: 9, type: "release-plan-added", project: null, at: "2026-01-02T03:04:06.000Z" },
  ]);
});

test("how many must approve changes comes along", async (t) => {
  const settings = [{ project: "default", environment: "development", required_approvals: 2 }];
  const { requiredApprovals } = await imported(
    t,
    { ...TABLES, change_request_settings: settings },
    "project",
  );
  assert.deepEqual(requiredApprovals, [{ environment: "development", approvals: 2 }]);
});

test("tables may come in any order, and a newer Unleash may have more of them, and more columns", async (t) => {
  const reversed = Object.fromEntries(Object.entries(TABLES).toReversed());
  const newer = {
    ...reversed,
    features: [{ ...TABLES.features![0], shiny: "x" }],
    shiny_things: [{ id: 1 }, { id: 2 }],
  };
  const first = await importDump(t, dumpOf(TABLES));
  const second = await importDump(t, dumpOf(newer));
  assert.equal(exported(second.db), exported(first.db));
  assert.deepEqual(second.leftOut.at(-1), {
    table: "shiny_things",
    rows: 2,
    reason: "this version of Flagstone doesn't know this table",
  });
});

test("a packed dump is the same", async (t) => {
  const dump = dumpOf(TABLES);
  assert.equal(exported((await importDump(t, gzipSync(dump))).db), exported((await importDump(t, dump)).db));
});

test("tabs, backslashes, line breaks and escaped bytes in rows are what they were", async (t) => {
  const description = "tab\t back\\slash\\n line\nend\r æ 日本 \b";
  const tables = withRows("projects", { id: "odd", name: "Odd", description });
  assert.equal((await imported(t, tables, "project")).description, description);
  const bytes = dumpOf(withRows("projects", { id: "odd", name: "Odd", description: "@" })).replace(
    "\t@",
    "\t\\xe6\\x97\\xa5\\101\\v\\.",
  );
  assert.equal(lastOf((await importDump(t, bytes)).db, "project").description, "日A\v.");
});

test("tokens keep working: secrets are hashed, verifiers are hashes already, and an alias is a secret too", async (t) => {
  const token = { type: "client", environment: "development", created_at: "2026-01-02 03:04:05+00" };
  const { db } = await importDump(
    t,
    dumpOf({
      ...TABLES,
      api_tokens: [
        { ...token, secret: "default:development.s", token_name: "app", alias: "old.s" },
        { ...token, secret: "*:*.a", username: "old", type: "admin", environment: "*" },
      ],
      api_token_project: [{ secret: "default:development.s", project: "default" }],
      api_tokens_v2: [
        {
          ...token,
          selector: "x",
          verifier: Buffer.from(hashSecret("v2.secret"), "hex").toString("base64url"),
          token_name: "v2",
        },
      ],
      personal_access_tokens: [
        { id: 1, secret: "user:p", description: "laptop", user_id: 1, created_at: "2026-01-02 03:04:05+00" },
        { id: 2, secret: "user:q", description: "gone", user_id: 5, created_at: "2026-01-02 03:04:05+00" },
      ],
    }),
  );
  const rows = db.prepare("SELECT name, type, projects, hash FROM tokens ORDER BY name, id").raw().all();
  assert.deepEqual(rows, [
    ["app", "client", '["default"]', hashSecret("default:development.s")],
    ["app", "client", '["default"]', hashSecret("old.s")],
    ["laptop", "user", '["*"]', hashSecret("user:p")],
    ["old", "admin", '["*"]', hashSecret("*:*.a")],
    ["v2", "client", '["*"]', hashSecret("v2.secret")],
  ]);
});

test("deleted users and Unleash's own stay behind, and their ids are not given again", async (t) => {
  const dump = dumpOf(
    withRows(
      "users",
      { id: -1337, username: "system", is_system: true },
      { id: 7, username: "gone", deleted_at: "2026-01-01" },
    ),
  ).replace(/^-- /m, "SELECT pg_catalog.setval('public.users_id_seq', 7, true);\n\n-- ");
  const { db, counts, leftOut } = await importDump(t, dump);
  assert.equal(counts.user, 1);
  assert.deepEqual(
    leftOut.map(({ table, rows, reason }) => [table, rows, reason]),
    [
      ["roles", 1, "built in here too"],
      ["users", 1, "Unleash's own users"],
      ["users", 1, "deleted users"],
    ].sort((a, b) => (String(a[2]) < String(b[2]) ? -1 : 1)),
  );
  assert.match(exported(db), /"kind":"counter","of":"user","last":7/);
});

test("use comes by the hour, and what was asked for in vain too", async (t) => {
  const hour = {
    feature_name: "cart",
    app_name: "till",
    environment: "development",
    timestamp: "2026-01-02 03:00:00+00",
  };
  const { db } = await importDump(
    t,
    dumpOf({
      ...TABLES,
      client_metrics_env: [{ ...hour, yes: 3, no: 1 }],
      client_metrics_env_variants: [{ ...hour, variant: "red", count: 2 }],
      unknown_flags: [
        { name: "crat", app_name: "till", environment: "development", seen_at: "2026-01-02 03:04:05+00" },
      ],
    }),
  );
  const at = "2026-01-02T03:00:00.000Z";
  assert.deepEqual(
    lines(db)
      .filter((line) => line.startsWith('{"kind":"usage"'))
      .map((line) => JSON.parse(line))
      .map(({ feature, hours }) => [feature, hours]),
    [
      ["cart", [{ hour: at, yes: 3, no: 1, variants: { red: 2 } }]],
      ["crat", [{ hour: at, yes: 0, no: 0, variants: {} }]],
    ],
  );
});

test("what is on here though it was off there is said, and each setting is named", async (t) => {
  const settings = [
    { name: "unleash.auth.simple", content: { disabled: true } },
    { name: "unleash.secret", content: '"x"' },
    { name: "maintenance.mode", content: { enabled: true } },
  ];
  const { leftOut } = await importDump(t, dumpOf({ ...TABLES, settings }));
  assert.deepEqual(
    leftOut.filter(({ table }) => table === "settings").map(({ rows, reason }) => [rows, reason]),
    [
      [
        2,
        "Flagstone has other settings, or takes them from its command line: unleash.auth.simple, unleash.secret",
      ],
      [1, "signing in with passwords was off there, and is on here"],
    ],
  );
});

test("an event that is too long comes without its data, one at no time at the first or the last", async (t) => {
  const event = { created_by: "ada", data: { name: "x" } };
  const { db, leftOut } = await importDump(
    t,
    dumpOf({
      ...TABLES,
      events: [
        { ...event, id: 1, type: "feature-created", created_at: "-infinity" },
        { ...event, id: 2, type: "feature-created", created_at: "0044-03-15 12:00:00+00 BC" },
        {
          ...event,
          id: 3,
          type: "feature-created",
          created_at: "2026-01-01",
          data: { x: "y".repeat(2 ** 20) },
        },
        { ...event, id: 4, type: "feature-created", created_at: "infinity" },
      ],
    }),
  );
  const events = db.prepare<[], string>("SELECT wire FROM events ORDER BY id").pluck().all();
  assert.deepEqual(
    events.map((wire) => JSON.parse(wire)).map(({ createdAt, data }) => [createdAt.slice(0, 4), data]),
    [
      ["0000", { name: "x" }],
      ["0000", { name: "x" }],
      ["2026", null],
      ["9999", { name: "x" }],
    ],
  );
  assert.match(leftOut.find(({ table }) => table === "events")!.reason, /the data of events.* has the id 3$/);
});

test("integrations that need leave to reach their address are named", async (t) => {
  const addon = { provider: "webhook", events: [], enabled: true };
  const { leftOut } = await importDump(
    t,
    dumpOf({
      ...TABLES,
      addons: ["https://example.com/10.1", "http://10.1.2.3/", "http://hooks.internal:80/"].map(
        (url, index) => ({
          ...addon,
          id: index + 1,
          parameters: { url },
        }),
      ),
    }),
  );
  const { rows, reason } = leftOut.find(({ table }) => table === "addons")!;
  assert.equal(rows, 2);
  assert.match(reason, /--allow-private-targets/);
});

test("rows that refer to nothing are listed", async (t) => {
  const strategy = { id: "s", environment: "development", strategy_name: "default", parameters: {} };
  const { leftOut, counts } = await importDump(
    t,
    dumpOf({
      ...TABLES,
      feature_strategies: [{ ...strategy, feature_name: "nope", constraints: [], sort_order: 1 }],
      feature_tag: [{ feature_name: "nope", tag_type: "simple", tag_value: "x" }],
    }),
  );
  assert.equal(counts.feature, 1);
  assert.deepEqual(
    leftOut.filter(({ reason }) => reason === "of something that is gone").map(({ table }) => table),
    ["feature_strategies", "feature_tag"],
  );
});

const CUT = "the dump ends here: it was cut short";

test("a dump cut anywhere is refused, and nothing of it is kept", async (t) => {
  const dump = dumpOf(TABLES).trimEnd();
  const db = empty(t);
  const before = exported(db);
  for (let length = 0; length < dump.length; length += 17) {
    await assert.rejects(
      importLines(
        db,
        dumpLines(asChunks(dump.slice(0, length)), () => {}),
      ),
      DatasetError,
      `after ${length} characters`,
    );
    assert.equal(exported(db), before);
  }
});

/** Dumps that are refused, with the message. */
const REFUSED: ReadonlyArray<[name: string, dump: string | Buffer, message: string | RegExp]> = [
  [
    "of another program",
    dumpOf({ tags: [], posts: [{ id: 1 }] }),
    "line 1: this is not the whole database of an Unleash: it lacks the table users",
  ],
  [
    "with INSERT",
    "INSERT INTO public.users VALUES (1);\n-- PostgreSQL database dump complete\n",
    /line 2: the dump has INSERT statements: make it without --inserts/,
  ],
  ["without data", "CREATE TABLE x ();\n-- PostgreSQL database dump complete\n", /without --schema-only/],
  ["of nothing", "", "line 1: the file is empty"],
  ["in UTF-16", Buffer.from(`\uFEFF${dumpOf(TABLES)}`, "utf16le"), /iconv -f UTF-16 -t UTF-8 FILE/],
  ["packed by xz", Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]), /xz file: unpack it first with unxz FILE/],
  ["packed by zstd", Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), /zstd file: unpack it first with unzstd FILE/],
  ["that is a file of SQLite", "SQLite format 3\0", /this is a database: use flagstone restore/],
  ["that is a dataset", '{"kind":"dataset","version":1}\n', /not a plain dump of PostgreSQL/],
  [
    "in the custom format",
    "PGDMP\u0001\u000e",
    /line 1: .*custom format: convert it with pg_restore -f dump.sql FILE/,
  ],
  ["as a tar archive", Buffer.concat([Buffer.from("toc.dat\0\0"), Buffer.alloc(600)]), /tar archive/],
  ["packed and cut", gzipSync(dumpOf(TABLES)).subarray(0, 200), /gzip file is damaged, or was cut short/],
  [
    "in Latin 1",
    dumpOf(TABLES).replace("UTF8", "LATIN1"),
    /line 1: the dump is in LATIN1: make it with pg_dump -E UTF8/,
  ],
  [
    "of two databases",
    dumpOf(TABLES) + dumpOf(TABLES),
    /^table users, row 1: the dump has this table a second time: make it of one database \(pg_dump, not pg_dumpall\)/,
  ],
  ["cut in a row", dumpOf(TABLES).split("\tDefault")[0]!, `table projects, row 1: ${CUT}`],
  [
    "with a short row",
    dumpOf(TABLES).replace("\trelease\t", "\t"),
    "table features, row 1: has 4 columns, not 5",
  ],
  [
    "with a NUL",
    dumpOf(TABLES).replace("\tadmin\t", "\ta\\000\t"),
    "table users, row 1: has a NUL character",
  ],
  [
    "with a bad id",
    dumpOf(TABLES).replace("\n9\t", "\nnine\t"),
    "table events, row 1: id: must be a whole number",
  ],
  [
    "with an event twice",
    dumpOf(TABLES).replace("\n4\t", "\n9\t"),
    "table events, row 2: has the id of another row",
  ],
  [
    "with a bad time",
    dumpOf(TABLES).replace("03:04:06+00", "noon"),
    "table events, row 1: created_at: must be a time",
  ],
  [
    "with a bad boolean",
    dumpOf(withRows("tag_types")).replace("\tdevelopment\t1\tt", "\tdevelopment\t1\tyes"),
    "table environments, row 1: enabled: must be t or f",
  ],
  [
    "with bad JSON",
    dumpOf(TABLES).replace('{"rollout":50}', "{"),
    "table feature_strategies, row 1: parameters: must be JSON",
  ],
  [
    "with a value that is not allowed",
    dumpOf(withRows("features", { name: "x", project: "no" })),
    'table features, row 2: project: no project "no" before it',
  ],
  [
    "with bytes that are no UTF-8",
    Buffer.concat([Buffer.from(dumpOf(TABLES)), Buffer.from([0xff, 0x0a])]),
    /is not valid UTF-8/,
  ],
  [
    "with an event that is nested too deeply",
    dumpOf(TABLES).replace('{"name":"x"}', `${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`),
    "table events, row 1: data: must not be nested deeper than 100 levels",
  ],
  [
    "with parameters that are nested too deeply",
    dumpOf(TABLES).replace('{"rollout":50}', `${"[".repeat(3000)}${"]".repeat(3000)}`),
    "table feature_strategies, row 1: parameters: must not be nested deeper than 100 levels",
  ],
  [
    "with two users that look alike",
    dumpOf(withRows("users", { id: 2, username: "admin" })),
    /^table users, row 2: user: already exists: username "admin"/,
  ],
];

for (const [name, dump, message] of REFUSED)
  test(`a dump ${name} is refused`, async (t) => {
    const db = empty(t);
    const before = exported(db);
    await assert.rejects(
      importLines(
        db,
        dumpLines(asChunks(dump), () => {}),
      ),
      (error: Error) => {
        assert.ok(error instanceof DatasetError, String(error));
        if (typeof message === "string") assert.equal(error.message, message);
        else assert.match(error.message, message);
        return true;
      },
    );
    assert.equal(exported(db), before);
  });

test("a dry run reports every problem with its table and row", async (t) => {
  const dump = dumpOf(
    withRows("features", { name: "a", project: "no" }, { name: "b", project: "no" }),
  ).replace("\trelease\t", "\t");
  const { problems, counts } = await tryLines(
    empty(t),
    dumpLines(asChunks(dump), () => {}),
  );
  assert.deepEqual(
    problems.first.map(({ message, ...place }) => [place, message]),
    [
      [{ table: "features", row: 1 }, "has 4 columns, not 5"],
      [{ table: "features", row: 2 }, 'project: no project "no" before it'],
      [{ table: "features", row: 3 }, 'project: no project "no" before it'],
    ],
  );
  assert.equal(counts.event, 2);
});
