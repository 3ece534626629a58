import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import Provider from "oidc-provider";
import { loadUi } from "#ui";
import { launch } from "../../scripts/browser.ts";
import { readOidc } from "../../src/cli/oidc.ts";
import { listen } from "../../src/http/listen.ts";
import { createServer } from "../../src/server/app.ts";
import { openServer } from "../support/server.ts";
import { createWorld } from "../support/world.ts";
import { holds, sees, test } from "./browser.ts";

const CLIENT = { id: "flagstone", secret: "a-secret-of-32-characters-or-more" };

/** A server at a free port, whose handler is made once its address is known. */
async function serveAt(t: TestContext, host: string, handlerFor: (url: string) => http.RequestListener) {
  const server = http.createServer((request, response) => handler(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://${host}:${(server.address() as AddressInfo).port}`;
  const handler = handlerFor(url);
  return url;
}

/** A real provider, whose people are whoever they say, with an address that it has verified. On another site than ours. */
const openProvider = (t: TestContext, callback: string) =>
  serveAt(t, "localhost", (issuer) => {
    const provider = new Provider(issuer, {
      clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [callback] }],
      claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"], groups: ["groups"] },
      scopes: ["openid", "email", "profile", "groups"],
      cookies: { keys: ["a key for cookies"] },
      findAccount: (_, sub) => ({
        accountId: sub,
        claims: () => ({
          sub,
          email: `${sub}@example.com`,
          email_verified: true,
          name: sub,
          groups: ["there"],
        }),
      }),
    });
    return provider.callback();
  });

test("people sign in at a provider and come back to where they were, with their groups", async (t) => {
  const world = createWorld()
    .project("a")
    .add("group", { id: 1, name: "Payments", mappingsSSO: ["there"] });
  const { db, request } = await openServer(t, world);
  const log = () => {};
  let listener: Parameters<typeof listen>[0] = () => {};
  const { url, close } = await listen((...args) => listener(...args), { host: "127.0.0.1", port: 0, log });
  const issuer = await openProvider(t, `${url}/auth/oidc/callback`);
  const env = {
    OIDC_ENABLED: "true",
    OIDC_DISCOVER_URL: issuer,
    OIDC_CLIENT_ID: CLIENT.id,
    OIDC_CLIENT_SECRET: CLIENT.secret,
    OIDC_AUTO_CREATE: "true",
    OIDC_ADD_GROUPS_SCOPE: "true",
    OIDC_ENABLE_GROUP_SYNCING: "true",
  };
  const server = createServer({ db, log, ui: loadUi, publicUrl: url, oidc: readOidc(env, url) });
  listener = server.listener;
  t.after(() => {
    server.streams.close();
    return close();
  });
  const browser = await launch(); // of its own: the others refuse to leave this server
  t.after(() => browser.close());
  const page = await browser.newPage();
  await page.goto(`${url}/projects/a`);
  await page.locator("::-p-text(Sign in with OpenID Connect)").click();
  await page.waitForSelector("[name=login]");
  assert.equal(new URL(page.url()).origin, issuer);
  await page.type("[name=login]", "olga");
  await page.type("[name=password]", "anything");
  await page.click("[type=submit]");
  await page.locator("::-p-text(Continue)").click(); // consents
  await holds(page, "location.pathname === '/projects/a'");
  await sees(page, "olga");
  const { users } = (await request("/api/admin/user-admin")).body;
  const olga = users.find(({ email }: { email: string }) => email === "olga@example.com");
  assert.equal((await request("/api/admin/groups/1")).body.users[0].user.id, olga.id);
});
