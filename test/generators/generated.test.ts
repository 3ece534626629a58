import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { createClient } from "@hey-api/openapi-ts";
import esbuild from "esbuild";
import openapiTS, { astToString } from "openapi-typescript";
import { listen } from "../../src/http/node-server.ts";
import { LOCAL } from "../http/raw-http.ts";
import { openServer } from "../support/server.ts";
import { createWorld, personal } from "../support/world.ts";

/*
 * Clients that well-known generators make from the served description compile, refuse a wrong request when they are
 * compiled, and work. This folder is a package of its own because the generators need an older TypeScript.
 */

/** What a program that uses a client returns. */
interface Used {
  created: unknown;
  names: string[];
  refused: unknown;
}

/** The server with a project, and a folder in which a client can import packages. */
async function openWorkshop(t: TestContext) {
  const { listener, streams } = await openServer(t, createWorld().project("a"));
  const listening = await listen(listener, LOCAL);
  fs.mkdirSync("build", { recursive: true });
  const folder = fs.mkdtempSync("build/generated-");
  t.after(async () => {
    streams.close();
    await listening.close();
    fs.rmSync(folder, { recursive: true });
  });
  return { url: listening.url, folder };
}

const STRICTLY = [
  ...["--ignoreConfig", "--noEmit", "--strict", "--skipLibCheck", "--module", "esnext", "--target", "es2022"],
  ...["--moduleResolution", "bundler", "--lib", "es2022,dom,dom.iterable", "--types", ""],
];

/** Compiles a program strictly, as its author would, and runs its function `use`. */
async function compileAndRun(folder: string, program: string, url: string): Promise<Used> {
  const file = path.join(folder, "program.ts");
  fs.writeFileSync(file, program);
  const { stdout } = spawnSync("node_modules/.bin/tsc", [...STRICTLY, file], { encoding: "utf8" });
  assert.equal(stdout, "");
  const outfile = path.join(folder, "program.mjs");
  await esbuild.build({ entryPoints: [file], outfile, bundle: true, format: "esm", platform: "node" });
  const { use } = await import(pathToFileURL(outfile).href);
  return use(url, personal(1));
}

function assertUsed({ created, names, refused }: Used) {
  assert.partialDeepStrictEqual(created, { name: "checkout", project: "a", type: "release" });
  assert.deepEqual(names, ["checkout"]);
  assert.partialDeepStrictEqual(refused, { name: "NameExistsError" });
}

test("openapi-typescript with openapi-fetch, from OpenAPI 3.1", async (t) => {
  const { url, folder } = await openWorkshop(t);
  // Otherwise a request would have to contain whatever has a default.
  const types = await openapiTS(new URL(`${url}/docs/openapi.json`), { defaultNonNullable: false });
  fs.writeFileSync(path.join(folder, "api.d.ts"), astToString(types));
  assertUsed(await compileAndRun(folder, WITH_OPENAPI_FETCH, url));
});

const WITH_OPENAPI_FETCH = `
import createClient from "openapi-fetch";
import type { paths } from "./api.d.ts";

export async function use(baseUrl: string, authorization: string) {
  const client = createClient<paths>({ baseUrl, headers: { authorization } });
  const params = { path: { projectId: "a" } };
  const create = () =>
    client.POST("/api/admin/projects/{projectId}/features", { params, body: { name: "checkout", type: "release" } });
  const { data: created } = await create();
  const { error: refused } = await create();
  const { data } = await client.GET("/api/admin/projects/{projectId}/features", { params });
  const names: string[] = data!.features.map(({ name }) => name);
  return { created, names, refused };
}

/** Never called. */
export const wrong = (client: ReturnType<typeof createClient<paths>>) =>
  // @ts-expect-error a flag has to have a name
  client.POST("/api/admin/projects/{projectId}/features", { params: { path: { projectId: "a" } }, body: {} });
`;

test("@hey-api/openapi-ts, from OpenAPI 3.0", async (t) => {
  const { url, folder } = await openWorkshop(t);
  await createClient({
    input: `${url}/docs/openapi.json?version=3.0`,
    output: path.join(folder, "client"),
    plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"],
    logs: { level: "silent" },
  });
  assertUsed(await compileAndRun(folder, WITH_HEY_API, url));
});

const WITH_HEY_API = `
import { createFeature, getFeatures } from "./client";
import { createClient } from "./client/client";

export async function use(baseUrl: string, authorization: string) {
  const client = createClient({ baseUrl, headers: { authorization } });
  const path = { projectId: "a" };
  const create = () => createFeature({ client, path, body: { name: "checkout", type: "release" } });
  const { data: created } = await create();
  const { error: refused } = await create();
  const { data } = await getFeatures({ client, path });
  const names: string[] = data!.features.map(({ name }) => name);
  return { created, names, refused };
}

/** Never called. */
// @ts-expect-error a flag has to have a name
export const wrong = () => createFeature({ path: { projectId: "a" }, body: {} });
`;
