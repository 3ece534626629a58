import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_LINE_BYTES } from "../../src/lib/limits.ts";
import { importDataset } from "../../src/transfer/import.ts";
import { asChunks } from "../support/server.ts";
import { BEGIN, EVENT, everyKey, HEADER, type Line, line, TIME, toText } from "./examples.ts";
import { empty, lastOf, refused } from "./importing.ts";

/*
 * What an import rejects, with which message, and that nothing of it is stored.
 */

const strategy = (keys: Line) => ({
  environments: [{ name: "production", strategies: [{ name: "x", ...keys }] }],
});
const variant = { name: "x", weight: 1, weightType: "fix", stickiness: "default" };

/** Invalid keys of a line of each kind, and the start of the message. */

const REFUSED: ReadonlyArray<[kind: string, keys: Line, reason: string]> = [
  [
    "contextField",
    { legalValues: [{ value: "x", ["__proto__"]: 1 }] },
    "legalValues.0.__proto__: is not a known",
  ],
  [
    "changeRequest",
    { changes: [{ id: 1, action: "paint", createdAt: TIME }] },
    "changes.0: must have a known",
  ],
  // Types
  ["setting", { name: "instance" }, "name: must be one of"],
  ["setting", { content: [] }, "content: must be an object"],
  ["project", { featureLimit: -1 }, "featureLimit: must be 0 or more"],
  ["project", { featureLimit: 1.5 }, "featureLimit: must be a whole number"],
  ["project", { featureNaming: { pattern: "(" } }, "featureNaming.pattern: must be a regular expression"],
  ["feature", { stages: [{ stage: "dead", enteredAt: TIME }] }, "stages.0.stage: must be one of"],
  ["feature", { stages: [{ stage: "live" }] }, "stages.0.enteredAt: is missing"],
  ["invitation", { hash: "secret" }, "hash: must be a SHA-256 as 64 lower-case hex digits"],
  ["invitation", { expiresAt: null }, "expiresAt: must be text, not null"],
  ["invitation", { enabled: 1 }, "enabled: must be true or false, not 1"],
  ["notificationMute", { user: 99 }, "user: no user 99 before it"],
  ["notificationMute", { project: "nope" }, 'project: no project "nope" before it'],
  ["notificationMute", { notificationType: "mail" }, "notificationType: must be one of"],
  ["banner", { link: "javascript:alert(1)" }, "link: must be"],
  ["banner", { variant: "loud" }, "variant: must be one of"],
  ["invitation", { users: [99] }, "users.0: no user 99 before it"],
  ["environment", { name: 5 }, "name: must be text, not 5"],
  ["environment", { name: "" }, "name: must not be empty"],
  ["environment", { type: null }, "type: must be text, not null"],
  ["environment", { sortOrder: "1" }, 'sortOrder: must be a number, not "1"'],
  ["environment", { enabled: 1 }, "enabled: must be true or false, not 1"],
  ["role", { type: "boss" }, 'type: must be one of "root", "project", "custom", "custom-root", not "boss"'],
  ["role", { permissions: { name: "X" } }, "permissions: must be a list"],
  ["role", { permissions: ["X"] }, "permissions.0: must be an object"],
  ["role", { permissions: [{ name: "" }] }, "permissions.0.name: must not be empty"],
  ["user", { id: 0 }, "id: must be 1 or more"],
  ["user", { id: -1 }, "id: must be 1 or more"],
  ["user", { id: 1.5 }, "id: must be a whole number"],
  ["user", { id: 2 ** 52 + 1 }, "id: must be 2^52 or less"],
  ["user", { username: "" }, "username: must not be empty"],
  ["user", { accountType: "Robot" }, 'accountType: must be one of "User", "Service Account", not "Robot"'],
  ["user", { loginAttempts: -1 }, "loginAttempts: must be 0 or more, not -1"],
  ["user", { loginAttempts: 0.5 }, "loginAttempts: must be a whole number"],
  ["token", { type: "root" }, "type: must be"],
  ["token", { hash: "secret" }, "hash: must be a SHA-256 as 64 lower-case hex digits"],
  ["token", { hash: "A".repeat(64) }, "hash: must be a SHA-256 as 64 lower-case hex digits"],
  ["token", { projects: [""] }, "projects.0: must not be empty"],
  ["project", { mode: "secret" }, 'mode: must be one of "open", "protected", "private", not "secret"'],
  [
    "project",
    { defaultStrategies: [{ environment: "production", strategy: {} }] },
    "defaultStrategies.0.strategy.name: is missing",
  ],
  ["project", { favoritedBy: [null] }, "favoritedBy.0: must be a number, not null"],
  ["contextField", { legalValues: [{}] }, "legalValues.0.value: is missing"],
  ["segment", { constraints: [{ contextName: "x" }] }, "constraints.0.operator: is missing"],
  ["strategyType", { parameters: [{ name: "x", type: "odd" }] }, "parameters.0.type: must be one of"],
  ["feature", { type: "" }, "type: must not be empty"],
  ["feature", { tags: [{ type: "simple", value: "x" }] }, "tags.0.value: must have 2 characters or more"],
  [
    "feature",
    { tags: [{ type: "simple", value: "x".repeat(51) }] },
    "tags.0.value: must have 50 characters or fewer",
  ],
  [
    "feature",
    strategy({ variants: [{ ...variant, weight: 1001 }] }),
    "environments.0.strategies.0.variants.0.weight: must be",
  ],
  ["event", { project: "" }, "project: must not be empty"],
  ["feature", strategy({ parameters: [] }), "environments.0.strategies.0.parameters: must be an object"],
  ["integration", { parameters: [] }, "parameters: must be an object"],
  ["integrationEvent", { details: [] }, "details: must be an object"],
  ["event", { data: [] }, "data: must be an object"],
  ["integrationEvent", { id: "x" }, "id: must be a whole number in digits"],
  ["integrationEvent", { id: "0" }, "id: must be 1 or more"],
  ["integrationEvent", { id: String(2n ** 63n) }, "id: must be less than 2^63"],
  ["integrationEvent", { state: "done" }, "state: must be"],
  ["notification", { notificationType: "mail" }, "notificationType: must be"],
  ["notification", { link: "" }, "link: must not be empty"],
  ["notification", { recipients: [{}] }, "recipients.0.userId: is missing"],
  // Duplicates
  ["environment", { name: "production" }, "environment: already exists: name "],
  ["role", { id: 6 }, "role: already exists: id "],
  ["role", { name: "Auditor" }, "role: already exists: name "],
  ["role", { name: "Admin" }, "role: already exists: name "],
  ["user", { id: 1 }, "user: already exists: id "],
  ["user", { username: "ada" }, "user: already exists: username "],
  ["user", { email: "ada@example.com" }, "user: already exists: email "],
  ["group", { id: 1 }, "group: already exists: id "],
  ["group", { name: "Insiders" }, "group: already exists: name "],
  ["group", { users: [1, 1] }, "group: two things in it have the same "],
  ["project", { id: "a" }, "project: already exists: id "],
  ["project", { environments: ["production", "production"] }, "project: two things in it have the same "],
  ["project", { favoritedBy: [1, 1] }, "project: two things in it have the same "],
  [
    "projectRole",
    { role: 4, user: 1 },
    'projectRole: already exists: project "a", role 4, user 1; if the file has data',
  ],
  ["tagType", { name: "simple" }, "tagType: already exists: name "],
  ["strategyType", { name: "byCountry" }, "strategyType: already exists: name "],
  ["strategyType", { name: "default", title: "Ours" }, "name: default is built in: only deprecated can be"],
  ["featureType", { id: "own" }, 'id: no featureType "own" before it'],
  ["featureType", { lifetimeDays: -1 }, "lifetimeDays: must be 0 or more"],
  ["counter", { of: "flag" }, "of: must be one of"],
  ["token", { secret: "another" }, "secret: its SHA-256 is not the hash"],
  ["token", { type: "user", userId: 1, secret: "x" }, "secret: of a personal token can't be kept"],
  ["token", { id: 3 }, "token: already exists: id "],
  ["contextField", { name: "country" }, "contextField: already exists: name "],
  ["segment", { id: 1 }, "segment: already exists: id "],
  ["segment", { name: "Europe" }, "segment: already exists: name "],
  ["feature", { name: "child" }, "feature: already exists: name "],
  ["feature", { favoritedBy: [2, 2] }, "feature: two things in it have the same "],
  [
    "feature",
    { dependencies: [{ feature: "child" }, { feature: "child" }] },
    "feature: two things in it have the same ",
  ],
  [
    "feature",
    { environments: [{ name: "production" }, { name: "production" }] },
    "feature: two things in it have the same ",
  ],
  ["feature", strategy({ id: "s1" }), "feature: two things in it have the same id"],
  ["feature", strategy({ segments: [1, 1] }), "feature: two things in it have the same "],
  ["integration", { id: 1 }, "integration: already exists: id "],
  ["event", { id: 3 }, "event: already exists: id "],
  ["integrationEvent", { id: String(2n ** 62n) }, "integrationEvent: already exists: id "],
  ["notification", { id: 1 }, "notification: already exists: id "],
  [
    "notification",
    { recipients: [{ userId: 1 }, { userId: 1 }] },
    "notification: two things in it have the same ",
  ],
  // Missing references
  [
    "role",
    { permissions: [{ name: "X", environment: "no" }] },
    'permissions.0.environment: no environment "no" before it',
  ],
  ["user", { rootRole: 99 }, "rootRole: no role 99 before it"],
  ["group", { users: [1, 99] }, "users.1: no user 99 before it"],
  ["group", { rootRole: 99 }, "rootRole: no role 99 before it"],
  ["token", { type: "user", userId: 99 }, "userId: no user 99 before it"],
  ["project", { environments: ["no"] }, 'environments.0: no environment "no" before it'],
  ["project", { favoritedBy: [99] }, "favoritedBy.0: no user 99 before it"],
  ["projectRole", { project: "no" }, 'project: no project "no" before it'],
  ["projectRole", { role: 99 }, "role: no role 99 before it"],
  ["projectRole", { user: 99 }, "user: no user 99 before it"],
  ["projectRole", { user: null, group: 99 }, "group: no group 99 before it"],
  ["segment", { project: "no" }, 'project: no project "no" before it'],
  ["feature", { project: "no" }, 'project: no project "no" before it'],
  ["feature", { project: "A" }, 'project: no project "A" before it'],
  ["feature", { favoritedBy: [99] }, "favoritedBy.0: no user 99 before it"],
  [
    "project",
    { defaultStrategies: [{ environment: "production", strategy: { name: "flexibleRollout" } }] },
    "defaultStrategies.0.environment: is not one of the project's environments",
  ],
  ["feature", { tags: [{ type: "no", value: "xy" }] }, 'tags.0.type: no tagType "no" before it'],
  ["feature", { environments: [{ name: "no" }] }, 'environments.0.name: no environment "no" before it'],
  [
    "feature",
    strategy({ segments: [99] }),
    "environments.0.strategies.0.segments.0: no segment 99 before it",
  ],
  ["integrationEvent", { integrationId: 99 }, "integrationId: no integration 99 before it"],
  ["integrationEvent", { eventId: 99 }, "eventId: no event 99 before it"],
  ["notification", { recipients: [{ userId: 99 }] }, "recipients.0.userId: no user 99 before it"],
  ["notification", { project: "nope" }, 'project: no project "nope" before it'],
  // Inconsistent keys
  ["notification", { project: "a", recipients: [{ userId: 1 }] }, "recipients.0.readAt: is missing"],
  ["token", { type: "user" }, "userId: a token of the type user has one, another has none"],
  ["token", { type: "admin", userId: 1 }, "userId: a token of the type user has one, another has none"],
  ["projectRole", { group: 1 }, "user: give either a user or a group"],
  ["projectRole", { user: null }, "user: give either a user or a group"],
  // Built-in rows
  ["role", { id: 1, name: "Boss", type: "root" }, "id: the role 1 is built in and can't be changed"],
  ["role", { id: 5, name: "Member", type: "custom" }, "id: the role 5 is built in and can't be changed"],
  [
    "role",
    { id: 3, name: "Viewer", type: "root", permissions: [{ name: "ADMIN" }] },
    "id: the role 3 is built in and can't be changed",
  ],
  [
    "role",
    { id: 3, name: "Viewer", type: "root", description: "May write" },
    "id: the role 3 is built in and can't be changed",
  ],
  // Names that can't be used in a path
  ["environment", { name: "." }, "name: must not be . or .."],
  ["project", { id: ".." }, "id: must not be . or .."],
  ["tagType", { name: ".." }, "name: must not be . or .."],
  ["contextField", { name: "." }, "name: must not be . or .."],
  ["feature", { name: ".." }, "name: must not be . or .."],
  ["feature", { name: "x".repeat(4097) }, "name: must be shorter to fit into a path"],
  ["project", { id: "ü".repeat(1000) }, "id: must be shorter to fit into a path"],
  ["feature", { tags: [{ type: "simple", value: ".." }] }, "tags.0.value: must not be . or .."],
  ["feature", strategy({ id: "." }), "environments.0.strategies.0.id: must not be . or .."],
  // Control characters are escaped in messages
  ["tagType", { "\u001b[2Ja\nb": 1 }, "\\u001b[2Ja\\nb: is not a known key"],
  [
    "project",
    { environments: ["\u009b2J\u202e"] },
    'environments.0: no environment "\\u009b2J\\u202e" before it',
  ],
  // Text that can't be stored
  ["environment", { name: "a\0b" }, "name: must not contain the character NUL"],
  ["user", { name: "\0" }, "name: must not contain the character NUL"],
  ["feature", { description: "a\0" }, "description: must not contain the character NUL"],
  [
    "feature",
    strategy({ title: "\0" }),
    "environments.0.strategies.0.title: must not contain the character NUL",
  ],
  ["token", { environment: "\0" }, "environment: must not contain the character NUL"],
  ["event", { createdBy: "\0" }, "createdBy: must not contain the character NUL"],
  ["event", { project: "\0" }, "project: must not contain the character NUL"],
  ["integrationEvent", { stateDetails: "\0" }, "stateDetails: must not contain the character NUL"],
  ["notification", { message: "\0" }, "message: must not contain the character NUL"],
  ["tagType", { name: "\ud800" }, "name: must be well-formed Unicode"],
  ["event", { featureName: "\udc00x" }, "featureName: must be well-formed Unicode"],
];

for (const [kind, keys, reason] of REFUSED) {
  const shown = JSON.stringify(keys, (_, value) => (value?.length > 60 ? "…" : value));
  test(`${kind} with ${shown} is rejected`, () =>
    refused(BEGIN + toText([line(kind, keys)]), `line 3: ${reason}`));
}

/** What may be anything, or depends on the action of a change. */
const FREE =
  /^(integration\.parameters|event\.(data|preData)|integrationEvent\.(id|details)|changeRequest\.changes\.\d\.(payload|before))\b/;

/** By any name. */
const RECORD = /^(parameters|variants)$/;

/** The values in a line, with their paths. */
function* placesIn(value: unknown, ...path: string[]): Generator<[path: string[], value: unknown]> {
  if (path.length > 0) yield [path, value];
  if (typeof value !== "object" || value === null) return;
  for (const [key, one] of Object.entries(value)) if (key !== "kind") yield* placesIn(one, ...path, key);
}

function changed(line: Line, path: readonly string[], value: unknown): string {
  const copy = JSON.parse(JSON.stringify(line));
  const parent = path.slice(0, -1).reduce((part, key) => part[key], copy);
  parent[path.at(-1)!] = value;
  return BEGIN + toText([copy]);
}

const OTHERS: Readonly<Record<string, unknown>> = { string: 5, number: "1", boolean: 1, object: "x" };

for (const [index, one] of everyKey().slice(1).entries())
  test(`${one.kind} with every key, ${index}, is rejected with any value of another type, or an unknown key beside it`, async () => {
    for (const [path, value] of placesIn(one)) {
      if (value === null || FREE.test([one.kind, ...path].join("."))) continue;
      await refused(changed(one, path, OTHERS[typeof value]), `line 3: ${path.join(".")}: must be `);
      const isNamed = typeof value === "object" && !Array.isArray(value) && !RECORD.test(path.at(-1)!);
      if (isNamed)
        await refused(changed(one, [...path, "x"], 1), `line 3: ${path.join(".")}.x: is not a known key`);
    }
  });

for (const time of [
  "2026-02-30T00:00:00Z",
  "2025-02-29T00:00:00Z",
  "2026-04-31T00:00:00Z",
  "2026-13-01T00:00:00Z",
  "2026-00-01T00:00:00Z",
  "2026-01-00T00:00:00Z",
  "2026-01-01T24:00:00Z",
  "2026-01-01T25:00:00Z",
  "2026-01-01T00:60:00Z",
  "2026-01-01T00:00:00+24:00",
  "2026-01-01T00:00:00+00:60",
  "2026-01-01T00:00:00",
  "2026-01-01",
  "2026-1-1T00:00:00Z",
  "+002026-01-01T00:00:00Z",
  "2026-01-01T00:00:00.Z",
  "2026-01-01T00:00:00ZZ",
  "yesterday",
  "",
  // Times are returned with a four-digit year.
  "0000-01-01T00:00:00+01:00",
  "9999-12-31T23:59:59-01:00",
]) {
  test(`the time ${JSON.stringify(time)} is rejected`, () =>
    refused(BEGIN + toText([{ ...EVENT, createdAt: time }]), "line 3: createdAt: must be "));
}

for (const value of [1767225600000, null, true]) {
  test(`${value} is rejected as a time`, () =>
    refused(
      BEGIN + toText([{ ...EVENT, createdAt: value }]),
      `line 3: createdAt: must be text, not ${value}`,
    ));
}

for (const [name, text, path] of [
  ["an environment's order", '{"kind":"environment","name":"x","type":"x","sortOrder":1e400}', "sortOrder"],
  ["a context field's order", '{"kind":"contextField","name":"x","sortOrder":-1e400}', "sortOrder"],
  [
    "a strategy's order",
    '{"kind":"feature","name":"x","project":"a","environments":[{"name":"production","strategies":[{"name":"x","sortOrder":1e400}]}]}',
    "environments.0.strategies.0.sortOrder",
  ],
  [
    "an event's author",
    `{"kind":"event","createdAt":"${TIME}","type":"feature-created","createdBy":"x","createdByUserId":1e400}`,
    "createdByUserId",
  ],
] as const) {
  test(`a number too large to be exported is rejected as ${name}`, () =>
    refused(BEGIN + text, `line 3: ${path}: must be`));
}

const FIRST = "line 1: kind: the first line must be of the kind dataset";
const OTHER_VERSION = "line 1: version: must be 1, the only version";
const NOT_JSON = "is not valid JSON (was the file cut short?)";

/** A long line in chunks. */
async function* oversized(bytes: number) {
  yield Buffer.from(`${BEGIN}{"kind":"tagType","name":"`);
  for (let sent = 0; sent < bytes; sent += 1 << 20) yield Buffer.alloc(1 << 20, "x");
  yield Buffer.from('"}\n');
}

const TOO_LONG = `line 3: is longer than ${MAX_LINE_BYTES} bytes`;

const longLine = (bytes: number) => {
  const [begin, end] = ['{"kind":"contextField","name":"long","legalValues":[{"value":"', '"}]}'];
  return begin + "x".repeat(bytes - begin.length - end.length) + end;
};

for (const [name, input, reason] of [
  ["nothing", "", "line 1: the file is empty"],
  ["only empty lines", "\r\n\n\n", "line 1: the file is empty"],
  ["only a byte-order mark", "\uFEFF", "line 1: the file is empty"],
  ["a first line of another kind", '{"kind":"tagType","name":"x"}', FIRST],
  ["a first line without a kind", '{"version":1}', FIRST],
  ["version 2", '{"kind":"dataset","version":2}', OTHER_VERSION],
  ["a version in quotes", '{"kind":"dataset","version":"1"}', OTHER_VERSION],
  ["no version", '{"kind":"dataset"}', "line 1: version: "],
  [
    "a first line with an unknown key",
    '{"kind":"dataset","version":1,"by":"x"}',
    "line 1: by: is not a known key",
  ],
  [
    "a first line with a wrong time",
    '{"kind":"dataset","version":1,"createdAt":"x"}',
    "line 1: createdAt: must be",
  ],
  [
    "a first line with NUL in its source",
    '{"kind":"dataset","version":1,"source":"\\u0000"}',
    "line 1: source: must",
  ],
  ["a second first line", BEGIN + toText([HEADER]), 'line 3: kind: "dataset" is not a known kind'],
  ["an unknown kind", `${BEGIN}{"kind":"flag"}`, 'line 3: kind: "flag" is not a known kind'],
  [
    "a kind in another letter case",
    `${BEGIN}{"kind":"Feature"}`,
    'line 3: kind: "Feature" is not a known kind',
  ],
  [
    "an inherited property as the kind",
    `${BEGIN}{"kind":"constructor"}`,
    'line 3: kind: "constructor" is not a known kind',
  ],
  ["a kind without a string representation", `${BEGIN}{"kind":{"toString":1}}`, "line 3: kind: must be text"],
  ["a list as the kind", `${BEGIN}{"kind":["tagType"],"name":"x"}`, "line 3: kind: must be text"],
  ["null as the kind", `${BEGIN}{"kind":null}`, "line 3: kind: must be text"],
  ["a number as the kind", `${BEGIN}{"kind":1}`, "line 3: kind: 1 is not a known kind"],
  ["no kind", `${BEGIN}{"name":"x"}`, "line 3: kind: is missing"],
  ["a list", `${BEGIN}[]`, "line 3: must be a JSON object"],
  ["a number", `${BEGIN}7\n`, "line 3: must be a JSON object"],
  ["null", `${BEGIN}null`, "line 3: must be a JSON object"],
  [
    "malformed JSON in the middle",
    `${BEGIN}{"kind":\n${toText([line("tagType")])}`,
    "line 3: is not valid JSON",
  ],
  ["a truncated last line", `${BEGIN}${toText([line("user")]).slice(0, -4)}`, `line 3: ${NOT_JSON}`],
  ["two objects on a line", `${BEGIN}{"kind":"tagType","name":"x"}{}`, `line 3: ${NOT_JSON}`],
  [
    "invalid UTF-8",
    Buffer.concat([Buffer.from(BEGIN), Buffer.from([0x22, 0xff, 0x22])]),
    "line 3: is not valid UTF-8",
  ],
  [
    "a truncated last character",
    Buffer.from(`${BEGIN}{"kind":"tagType","name":"é`).subarray(0, -1),
    "line 3: is not valid UTF-8",
  ],
  ["an error after empty lines, which count", `${BEGIN}\r\n\n\n{}`, "line 6: kind: is missing"],
  ["a line over 16 MiB in several chunks", oversized(MAX_LINE_BYTES), TOO_LONG],
  ["an unterminated line over 16 MiB", BEGIN + "x".repeat(MAX_LINE_BYTES + 1), TOO_LONG],
  ["a line over 16 MiB in one chunk", `${BEGIN}${longLine(MAX_LINE_BYTES + 1)}\n`, TOO_LONG],
] as const) {
  test(`${name} is rejected`, () => refused(input, reason));
}

test("a line of 16 MiB is imported", async (t) => {
  const db = empty(t);
  await importDataset(db, asChunks(`${BEGIN}${longLine(MAX_LINE_BYTES)}\n`));
  const [{ value }] = lastOf(db, "contextField").legalValues as [{ value: string }];
  assert.ok(value.length > MAX_LINE_BYTES - 100);
});

test("an error has the same line number however the input is chunked", async () => {
  const bytes = Buffer.from(`${BEGIN}\r\n{"kind":"tagType","name":"ü"}\n{"kind":"tagType"}`);
  const pieces = async function* () {
    for (const byte of bytes) yield Buffer.from([byte]);
  };
  await refused(pieces(), "line 5: name: is missing");
});
