import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { hashSecret as hashOf } from "../../src/access/token.ts";
import { until } from "../support/receiver.ts";
import { assertRefused, dataFile, runHere, serveHere, temporaryFolder } from "./run-cli.ts";

const BACKEND = "*:staging.a-backend-token";
const PAGES = "*:staging.a-frontend-token";

const get = async (url: string, authorization: string) => {
  const response = await fetch(url, { headers: { authorization } });
  return { status: response.status, age: response.headers.get("age"), body: (await response.json()) as Body };
};

type Body = Record<"features" | "toggles", Array<{ name: string; enabled: boolean }>>;

const namesIn = ({ body: { features, toggles } }: { body: Body }) =>
  (features ?? toggles).map(({ name }) => name);

test("those who come from Unleash Edge keep their variables, options and paths", async (t) => {
  const backend = "*:development.a-backend-token";
  const data = path.join(temporaryFolder(t), "flags.db");
  const env = { INIT_CLIENT_API_TOKENS: backend, INIT_FRONTEND_API_TOKENS: "*:development.a-page's-token" };
  const server = await serveHere(t, ["serve", "--data", data], { env });
  const folder = temporaryFolder(t);
  const names = {
    UPSTREAM_URL: `${server.url}/api`,
    BACKUP_FOLDER: folder,
    BASE_PATH: "/edge-here",
    FEATURES_REFRESH_INTERVAL_SECONDS: "1",
  };
  const { url, stop } = await serveHere(t, ["edge", "--tokens", backend, "--metrics"], { env: names });
  assert.match(url, /\/edge-here$/);
  for (const where of ["health", "ready", "metrics"])
    assert.equal((await fetch(`${url}/internal-backstage/${where}`)).status, 200, where);
  assert.equal((await get(`${url}/api/client/features`, backend)).age, "0");
  for (const where of ["/api/proxy", "/proxy"])
    assert.deepEqual(namesIn(await get(`${url}${where}?userId=7`, env.INIT_FRONTEND_API_TOKENS)), []);
  assert.equal((await fetch(`${url}/api/admin/projects`)).status, 404);
  await stop();
  assert.deepEqual(fs.readdirSync(folder), ["edge.json"]);
});

const APPLIED = `
version: 1
project: shop
flags:
  cart:
    environments:
      production: { enabled: true }
`;

/** An edge that serves a file. */
async function offline(t: TestContext, content: string, ...tokens: [backend: string, pages?: string]) {
  const file = path.join(temporaryFolder(t), "flags");
  fs.writeFileSync(file, content);
  const env = { CLIENT_TOKENS: tokens[0], FRONTEND_TOKENS: tokens[1] ?? "" };
  return { file, ...(await serveHere(t, ["edge", "--bootstrap-file", file], { env })) };
}

test("an edge without upstream serves flags as SDKs read them, in the environment of each token", async (t) => {
  const flags = (name: string) =>
    JSON.stringify({ version: 2, features: [{ name, enabled: true, strategies: [{ name: "default" }] }] });
  const { url, file } = await offline(t, flags("cart"), BACKEND, PAGES);
  fs.utimesSync(file, new Date(), new Date(Date.now() - 90_000));
  const found = await get(`${url}/api/client/features`, BACKEND);
  assert.deepEqual([namesIn(found), found.body.features[0]?.enabled], [["cart"], true]);
  assert.deepEqual(namesIn(await get(`${url}/api/frontend`, PAGES)), ["cart"]);
  assert.equal(Number((await get(`${url}/api/frontend`, PAGES)).age) >= 90, true, "as old as the file");
  assert.equal((await get(`${url}/api/frontend`, "*:staging.another-token")).status, 401);
  fs.writeFileSync(file, flags("search"));
  await until(
    async () => namesIn(await get(`${url}/api/frontend`, PAGES)).join() === "search",
    "the new flags",
  );
});

test("an edge without upstream serves an export, with the tokens in it, or a project as for apply", async (t) => {
  const backend = "*:production.a-backend-token";
  const applied = await offline(t, APPLIED, backend);
  assert.deepEqual(namesIn(await get(`${applied.url}/api/client/features`, backend)), ["cart"]);
  const file = await dataFile(t, [
    { kind: "dataset", version: 1 },
    { kind: "environment", name: "production", type: "production" },
    { kind: "project", id: "shop", name: "Shop", environments: ["production"] },
    { kind: "feature", name: "cart", project: "shop", environments: [{ name: "production", enabled: true }] },
    { kind: "token", type: "client", name: "a", hash: hashOf(backend), environment: "production" },
  ]);
  const exported = path.join(temporaryFolder(t), "export.jsonl");
  await runHere(["export", exported, "--data", file]);
  const { url } = await serveHere(t, ["edge", "--offline", exported]);
  assert.deepEqual(namesIn(await get(`${url}/api/client/features`, backend)), ["cart"]);
});

test("an edge says what it lacks to start", async (t) => {
  const file = path.join(temporaryFolder(t), "flags.yaml");
  fs.writeFileSync(file, APPLIED);
  for (const [args, message] of [
    [
      [],
      "edge needs --upstream URL, the server behind it, such as https://flags.example.com, or --offline FILE",
    ],
    [
      ["--offline", file, "--tokens", "secret"],
      "TOKENS: must be one or more of PROJECT:ENVIRONMENT.SECRET, separated by commas",
    ],
    [["--offline", file, "--tokens", BACKEND], "TOKENS: there is no environment staging"],
    [
      ["--upstream", "https://127.0.0.1:1", "--offline", file],
      "--upstream and --offline contradict each other: give one of them",
    ],
    [["--upstream", "https://127.0.0.1:1", "--snapshot", file], `${file} is not a snapshot of an edge`],
  ] as const)
    assertRefused(await runHere(["edge", ...args]), 2, message, " edge");
});
