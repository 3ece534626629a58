import assert from "node:assert/strict";
import http from "node:http";
import { test } from "node:test";
import { checkFile } from "../../src/db/check.ts";
import { dataFile, linesOf, startServer } from "../cli/run-cli.ts";
import { createWorld, SERVICE } from "../support/world.ts";

const ROUNDS = Number(process.env.KILL_ROUNDS ?? 1);
const CLIENTS = 32;

/** In one file; the next has a new one, since each looks at everything in it. */
const ROUNDS_PER_FILE = 5;

const agent = new http.Agent({ keepAlive: true, maxSockets: CLIENTS });

/** Creates a flag. Resolves to the status; undefined if no response arrived. */
const create = (url: string, name: string) =>
  new Promise<number | undefined>((resolve) => {
    const headers = { authorization: SERVICE, "content-type": "application/json" };
    const request = http.request(`${url}/api/admin/projects/a/features`, { method: "POST", headers, agent });
    request.on("error", () => resolve(undefined));
    request.on("response", (response) => {
      response.resume().on("error", () => {}); // its head has been read, so it was acknowledged
      resolve(response.statusCode);
    });
    request.end(JSON.stringify({ name }));
  });

test("after a kill -9, all acknowledged HTTP changes are there, and none is incomplete", async (t) => {
  let data = "";
  let acknowledged: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    if (round % ROUNDS_PER_FILE === 0) {
      data = await dataFile(t, createWorld().project("a").member("a", 3).lines);
      acknowledged = [];
    }
    const { child, ended, url } = await startServer(t, ["serve", "--data", data]);
    const enough = acknowledged.length + CLIENTS + Math.floor(Math.random() * 400);
    const client = async (number: number) => {
      for (let count = 0; ; count++) {
        const name = `r${round}-c${number}-${count}`;
        const status = await create(url, name);
        if (status === undefined) return;
        assert.equal(status, 201);
        acknowledged.push(name);
        if (acknowledged.length === enough) child.kill("SIGKILL");
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
    await ended;
    const lines = linesOf(data);
    const of = (kind: string) => lines.filter((line) => line.kind === kind);
    const flags = of("feature").map(({ name }) => name);
    const kept = new Set(flags);
    assert.deepEqual(
      acknowledged.filter((name) => !kept.has(name)),
      [],
      "all acknowledged changes are there",
    );
    assert.deepEqual(
      of("event")
        .map(({ featureName }) => featureName)
        .toSorted(),
      flags.toSorted(),
      "each flag has its event",
    );
    assert.equal(of("notification").length, flags.length, "and its notification");
    assert.deepEqual(
      checkFile(data).filter(({ problem }) => problem !== undefined),
      [],
    );
  }
});
