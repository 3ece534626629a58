import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { TestContext } from "node:test";
import { close, open } from "../../src/db/open.ts";
import { type Listening, listen } from "../../src/http/node-server.ts";
import { createServer } from "../../src/server/app.ts";
import { watchUsage } from "../../src/server/tasks.ts";
import { importLines } from "../support/server.ts";
import { createWorld, SERVICE } from "../support/world.ts";

/** A flag that is on for everyone, with a variant, and one that is off. */
export const world = () => {
  const variants = [{ name: "red", weight: 1000, weightType: "variable", stickiness: "default" }];
  const strategies = [{ id: "s", name: "default", variants }];
  return createWorld()
    .project("a")
    .feature("cart", "a", { environments: [{ name: "development", enabled: true, strategies }] })
    .feature("menu", "a");
};

/** A server on a file, which can stop and restart on the same port. */
export async function serveFile(t: TestContext) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "flagstone-sdk-"));
  const file = path.join(folder, "flags.db");
  const filled = open(file);
  await importLines(filled, world().lines);
  close(filled);
  let running = await start(file, 0);
  t.after(async () => {
    await running.stop();
    fs.rmSync(folder, { recursive: true });
  });
  const { url } = running;
  const admin = async (path: string, method = "GET") => {
    const response = await fetch(`${url}/api/admin${path}`, { method, headers: { authorization: SERVICE } });
    // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
    return response.json().catch(() => undefined) as Promise<any>;
  };
  return {
    url,
    file,
    admin,
    turnMenu: (state: "on" | "off") =>
      admin(`/projects/a/features/menu/environments/development/${state}`, "POST"),
    stop: () => running.stop(),
    async startAgain() {
      running = await start(file, Number(new URL(url).port));
    },
  };
}

async function start(file: string, port: number) {
  const log = () => {};
  const db = open(file);
  const { listener, streams } = createServer({ db, log });
  const listening: Listening = await listen(listener, { host: "127.0.0.1", port, log });
  const stopUsage = watchUsage(db, log, 48);
  let isStopped = false;
  const stop = async () => {
    if (isStopped) return;
    isStopped = true;
    streams.close();
    await listening.close();
    await stopUsage();
    close(db);
  };
  return { url: listening.url, stop };
}
