import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createWorld } from "../support/world.ts";
import { assertRefused, contentOf, dataFile, linesOf, runHere, serveHere } from "./run-cli.ts";

const create = (data: string, ...args: string[]) => runHere(["user", "create", ...args, "--data", data]);

describe("user", { concurrency: 4 }, () => {
  test("a user is created as a Viewer, and that is recorded", async (t) => {
    const data = await dataFile(t, createWorld().lines);
    const result = await create(data, "nina");
    assert.deepEqual(result, { code: 0, stdout: "Created the user nina with the id 5\n", stderr: "" });
    const user = linesOf(data).find((line) => line.id === 5);
    const { createdAt, ...rest } = user ?? {};
    assert.ok(Date.parse(String(createdAt)) <= Date.now());
    assert.deepEqual(rest, {
      kind: "user",
      id: 5,
      username: "nina",
      accountType: "User",
      rootRole: 3,
      loginAttempts: 0,
    });
    const [event, ...others] = linesOf(data).filter((line) => line.kind === "event");
    assert.deepEqual(
      [event?.type, event?.createdBy, event?.createdByUserId, event?.data, others],
      ["user-created", "cli", null, { id: 5, username: "nina", rootRole: 3 }, []],
    );
  });

  test("a user is created with all options, and printed as JSON", async (t) => {
    const data = await dataFile(t, createWorld().lines);
    const said = ["nina", "--email", "Nina@Example.com", "--name", "Nina Ö.", "--role", "eDITOR", "--json"];
    const { code, stdout } = await create(data, ...said);
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(stdout), { id: 5, username: "nina" });
    const user = linesOf(data).find((line) => line.id === 5);
    assert.deepEqual([user?.email, user?.name, user?.rootRole], ["nina@example.com", "Nina Ö.", 2]);
  });

  for (const [args, code, message] of [
    [["admin"], 1, "There is already a user admin, or one that looks the same"],
    [["Admin"], 1, "There is already a user Admin, or one that looks the same"],
    [["аdmin"], 1, "There is already a user аdmin, or one that looks the same"], // its first letter is Cyrillic
    [["edith@example.com"], 1, "There is already a user edith@example.com, or one that looks the same"],
    [
      ["nina", "--email", "EDITH@example.com"],
      1,
      "There is already a user edith@example.com, or one that looks the same",
    ],
    [["nina\u202enimda"], 2, '"nina\\u202enimda": a username must not contain control characters'],
    [["nina", "--email", "foo"], 2, '--email: "foo" must be an e-mail address such as edith@example.com'],
    [["ni\u001bna"], 2, '"ni\\u001bna": a username must not contain control characters'],
    [["nina", "--name", "Ni\nna"], 2, '"Ni\\nna": a name must not contain control characters'],
    [["nina", "--email", "admin"], 2, '--email: "admin" must be an e-mail address such as edith@example.com'],
    [["nina", "--role", "Boss"], 2, "--role: Boss must be one of Admin, Editor, Viewer"],
    [["nina", "--role", "Owner"], 2, "--role: Owner must be one of Admin, Editor, Viewer"],
  ] as const) {
    test(`user create ${args.join(" ")} is refused and records nothing`, async (t) => {
      const data = await dataFile(t, createWorld().lines);
      const before = contentOf(data);
      assertRefused(
        await runHere(["user", "create", ...args, "--data", data]),
        code,
        message,
        " user create",
      );
      assert.equal(contentOf(data), before);
    });
  }

  for (const [name, args] of [
    ["username", [""]],
    ["e-mail address", ["nina", "--email", ""]],
  ] as const) {
    test(`an empty ${name}, which an import would reject, is refused`, async (t) => {
      const data = await dataFile(t, createWorld().lines);
      const { code, stdout, stderr } = await runHere(["user", "create", ...args, "--data", data]);
      assert.deepEqual([code, stdout], [2, ""], stderr);
    });
  }

  test("a printed link signs in once, at a server on the same file", async (t) => {
    const data = await dataFile(t, createWorld().lines);
    const { url, stop } = await serveHere(t, ["serve", "--data", data]);
    const port = new URL(url).port;
    const { code, stdout } = await runHere([
      "user",
      "link",
      "edith@example.com",
      "--data",
      data,
      "--port",
      port,
    ]);
    assert.equal(code, 0);
    assert.match(stdout, new RegExp(`^${url}/auth/link/[0-9a-f]{64}\n$`));
    const follow = () => fetch(stdout.trim(), { redirect: "manual" });
    const first = await follow();
    assert.equal(first.status, 302);
    const [cookie] = first.headers.getSetCookie()[0]!.split(";");
    const me = await fetch(`${url}/api/admin/user`, { headers: { cookie: cookie! } });
    assert.equal(((await me.json()) as { user: { id: number } }).user.id, 2);
    assert.equal((await follow()).status, 401);
    await stop();
  });

  test("the link uses the public URL", async (t) => {
    const data = await dataFile(t, createWorld().lines);
    const link = (...args: string[]) => runHere(["user", "link", "1", "--data", data, ...args]);
    const below = await link("--base-path", "/flags", "--host", "0.0.0.0");
    assert.match(below.stdout, /^http:\/\/127\.0\.0\.1:4242\/flags\/auth\/link\//);
    const known = await link("--public-url", "https://flags.example/f");
    assert.match(known.stdout, /^https:\/\/flags\.example\/f\/auth\/link\//);
  });

  test("no link for unknown users or service accounts", async (t) => {
    const robot = { username: "robot", accountType: "Service Account" };
    const data = await dataFile(t, createWorld().user(robot).lines);
    const link = (name: string) => runHere(["user", "link", name, "--data", data]);
    assertRefused(
      await link("nobody"),
      1,
      "There is no user nobody: list the users with flagstone user list",
    );
    assertRefused(await link("robot"), 1, "robot is a service account, which can't sign in");
  });

  test("no link for a name that is the id of somebody else", async (t) => {
    const data = await dataFile(t, createWorld().user({ username: "1", email: "one@example.com" }).lines);
    const link = (name: string) => runHere(["user", "link", name, "--data", data]);
    assertRefused(await link("1"), 1, "1 is the id or a name of several users: use another of theirs");
    assert.equal((await link("one@example.com")).code, 0);
  });

  test("the list shows all users, and as JSON everything that the API shows", async (t) => {
    const data = await dataFile(t, createWorld().lines);
    const [shown, json] = await Promise.all([
      runHere(["user", "list", "--data", data]),
      runHere(["user", "list", "--json", "--data", data]),
    ]);
    assert.deepEqual(shown, {
      code: 0,
      stderr: "",
      stdout: [
        "id  username  email              name        role",
        "1   admin     -                  -           Admin",
        "2   user2     edith@example.com  -           Editor",
        "3   user3     -                  Vic Viewer  Viewer",
        "4   user4     -                  -           Viewer",
        "",
      ].join("\n"),
    });
    const users = JSON.parse(json.stdout);
    assert.deepEqual(
      users.map(({ id, role, isAPI }: Record<string, unknown>) => [id, role, isAPI]),
      [
        [1, "Admin", false],
        [2, "Editor", false],
        [3, "Viewer", false],
        [4, "Viewer", false],
      ],
    );
  });
});
