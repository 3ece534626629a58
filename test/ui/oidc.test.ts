import assert from "node:assert/strict";
import type http from "node:http";
import { test as nodeTest, type TestContext } from "node:test";
import Provider from "oidc-provider";
import type { Page } from "puppeteer-core";
import { loadUi } from "#ui";
import { launch } from "../../scripts/browser.ts";
import { SYSTEM } from "../../src/access/actor.ts";
import { createSignInLink } from "../../src/access/session-store.ts";
import { write } from "../../src/events/write.ts";
import { createServer } from "../../src/server/app.ts";
import { originalPage } from "../support/original-page.ts";
import { serveAt } from "../support/serve-at.ts";
import { openServer } from "../support/server.ts";
import { UNLEASH_VERSIONS, WITHOUT_PACKAGE } from "../support/unleash.ts";
import { createWorld } from "../support/world.ts";
import { holds, press, pressText, sees, skip, test, type, visit } from "./browser.ts";

const CLIENT = { id: "flagstone", secret: "a-secret-of-32-characters-or-more" };

/** A real provider, whose people are whoever they say, with an address that it has verified. On another site than ours. */
const openProvider = (t: TestContext, client: string) =>
  serveAt(t, "localhost", (issuer) => {
    const provider = new Provider(issuer, {
      clients: [
        {
          ...{ client_id: CLIENT.id, client_secret: CLIENT.secret },
          ...{ redirect_uris: [`${client}/auth/oidc/callback`], post_logout_redirect_uris: [`${client}/`] },
        },
      ],
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

/** A server and a provider that allows for it. `serve` shows another page than ours. */
async function start(t: TestContext, serve?: (ours: http.RequestListener) => http.RequestListener) {
  const world = createWorld()
    .project("a")
    .add("group", { id: 1, name: "Payments", mappingsSSO: ["there"] });
  const { db, request } = await openServer(t, world);
  const log = () => {};
  const url = await serveAt(t, "127.0.0.1", (publicUrl) => {
    const sending = { allowed: ["localhost"], env: {}, ca: undefined, timeoutMs: 10_000 };
    const { listener, streams } = createServer({ db, log, ui: loadUi, publicUrl, sending });
    t.after(() => streams.close());
    return serve?.(listener as http.RequestListener) ?? (listener as http.RequestListener);
  });
  const issuer = await openProvider(t, url);
  const browser = await launch(); // of its own: the others refuse to leave this server
  t.after(() => browser.close());
  const openWindow = async () => (await browser.createBrowserContext()).newPage();
  const link = url + write(db, SYSTEM, (tx) => createSignInLink(tx, 1));
  return { request, url, issuer, openWindow, link };
}

/** Says who they are to the provider, and consents. */
async function signInThere(page: Page, name: string) {
  await page.waitForSelector("[name=login]");
  await page.type("[name=login]", name);
  await page.type("[name=password]", "anything");
  await page.click("[type=submit]");
  await page.locator("::-p-text(Continue)").click();
}

const OURS = "::-p-text(Sign in with OpenID Connect)";

test("an administrator sets up a provider; people sign in there, get their groups, and sign out of both", async (t) => {
  const { request, url, issuer, openWindow, link } = await start(t);
  const admin = await openWindow();
  await admin.goto(link);
  await admin.waitForSelector("main h1");
  await visit(admin, "/instance/signing-in");
  await type(admin, "Issuer", issuer);
  await press(admin, "button", "Test the provider");
  await sees(admin, "works", `tokenEndpoint: ${issuer}/token`);
  await type(admin, "Client ID", CLIENT.id);
  await type(admin, "Client secret", CLIENT.secret);
  await pressText(admin, "People can sign in with this provider");
  await pressText(admin, "Create an account for whoever signs in");
  await pressText(admin, "Join and leave groups");
  await pressText(admin, "Ask for the scope groups");
  await pressText(admin, "Signing out here ends");
  await press(admin, "button", "Save");
  await sees(admin, "Saved");

  const page = await openWindow();
  await page.goto(`${url}/projects/a`);
  await page.locator(OURS).click();
  await signInThere(page, "olga");
  await holds(page, "location.pathname === '/projects/a'");
  await sees(page, "olga");
  const { users } = (await request("/api/admin/user-admin")).body;
  const olga = users.find(({ email }: { email: string }) => email === "olga@example.com");
  assert.equal((await request("/api/admin/groups/1")).body.users[0].user.id, olga.id);

  await request(`/api/admin/user-admin/${olga.id}`, { method: "PUT", body: { rootRole: 1 } });
  await visit(admin, "/instance/signing-in");
  await press(admin, "button", "Switch passwords off");
  await sees(admin, "1 administrator can without");
  await press(admin, "button", "Switch passwords off");
  await press(admin, "button", "Switch passwords on");

  await press(page, "button", "Sign out");
  await page.locator("::-p-text(Yes, sign me out)").click();
  await page.locator(OURS).click();
  await page.waitForSelector("[name=login]"); // the provider knows them no longer
  assert.equal(new URL(page.url()).origin, issuer);
});

const options = { skip: skip || WITHOUT_PACKAGE };
for (const version of UNLEASH_VERSIONS)
  nodeTest(
    `the page of ${version} has a button for it, and its sign-out ends both sessions`,
    options,
    async (t) => {
      const { request, issuer, openWindow, url } = await start(t, originalPage(version));
      const settings = {
        ...{ enabled: true, discoverUrl: issuer, clientId: CLIENT.id, secret: CLIENT.secret },
        ...{ autoCreate: true, enableSingleSignOut: true },
      };
      await request("/api/admin/auth/oidc/settings", { method: "POST", body: settings });
      const page = await openWindow();
      await page.goto(`${url}/projects`);
      await page.locator(OURS).click();
      await signInThere(page, "olga");
      await page.locator("[data-testid=HEADER_USER_AVATAR]").click();
      await page.locator("::-p-text(Log out)").click();
      await page.locator("::-p-text(Yes, sign me out)").click();
      await page.locator(OURS).click();
      await page.waitForSelector("[name=login]");
    },
  );
