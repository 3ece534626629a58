import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { hashSecret } from "../../src/access/token.ts";
import { createServer } from "../../src/server/app.ts";
import { loadSeed } from "../../src/transfer/seed.ts";
import { importLines } from "../support/server.ts";
import { CLIENT, FRONTEND, SERVICE } from "../support/world.ts";
import { empty } from "../transfer/importing.ts";

/** A real server with this data, and with tokens that belong to no user; returns its URL. */
export async function serveSeed(t: TestContext, seed: object): Promise<string> {
  const db = empty(t);
  await loadSeed(db, Buffer.from(JSON.stringify(seed)));
  const token = (type: string, secret: string) => ({
    kind: "token",
    type,
    name: type,
    hash: hashSecret(secret),
    environment: "development",
  });
  await importLines(db, [
    { kind: "dataset", version: 1 },
    token("client", CLIENT),
    token("frontend", FRONTEND),
    { ...token("admin", SERVICE), environment: "*" },
  ]);
  const server = http.createServer(createServer({ db, log: () => {} }).listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
