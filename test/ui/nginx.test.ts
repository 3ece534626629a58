import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import net, { type AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { loadUi } from "#ui";
import { launch, WHOLE_CHROMIUM } from "../../scripts/browser.ts";
import { byCertificate, openBehindNginx, SIGN_IN, without } from "../http/behind-nginx.ts";
import { holds, isUsedBy, press, visit } from "./browser.ts";

/**
 * A browser that has Nina's certificate, trusts nginx's, and finds flags.example at its socket. It takes the certificate
 * by itself, as an operator's policy says, which is kept in the profile.
 */
async function openBrowser(t: TestContext, folder: string) {
  const relay = net.createServer((client) => {
    const nginx = net.connect(`${folder}/socket`);
    client.pipe(nginx).pipe(client);
    for (const socket of [client, nginx])
      socket.on("error", () => [client, nginx].map((one) => one.destroy()));
  });
  relay.listen(0, "127.0.0.1");
  await once(relay, "listening");
  t.after(() => relay.close());
  const home = fs.mkdtempSync(path.join(os.tmpdir(), "nginx-browser-"));
  const store = `${home}/.pki/nssdb`;
  fs.mkdirSync(store, { recursive: true });
  const run = (program: string, ...args: string[]) => execFileSync(program, args, { stdio: "ignore" });
  const files = [
    "-in",
    `${folder}/person.pem`,
    "-inkey",
    `${folder}/person-key.pem`,
    "-out",
    `${home}/person.p12`,
  ];
  run("openssl", "pkcs12", "-export", ...files, "-passout", "pass:");
  run("certutil", "-d", `sql:${store}`, "-N", "--empty-password");
  run("certutil", "-d", `sql:${store}`, "-A", "-n", "nginx", "-t", "CP,,", "-i", `${folder}/cert.pem`);
  run("pk12util", "-d", `sql:${store}`, "-i", `${home}/person.p12`, "-W", "");
  const chosen = [JSON.stringify({ pattern: "https://flags.example", filter: {} })];
  const preferences = { profile: { managed_auto_select_certificate_for_urls: chosen } };
  fs.mkdirSync(`${home}/profile/Default`, { recursive: true });
  fs.writeFileSync(`${home}/profile/Default/Preferences`, JSON.stringify(preferences));
  const browser = await launch({
    executablePath: WHOLE_CHROMIUM!,
    args: [`--host-resolver-rules=MAP flags.example:443 127.0.0.1:${(relay.address() as AddressInfo).port}`],
    userDataDir: `${home}/profile`,
    env: { ...process.env, HOME: home },
  });
  t.after(async () => {
    await browser.close();
    fs.rmSync(home, { recursive: true, maxRetries: 5 });
  });
  return browser;
}

test("behind nginx, a client certificate opens the page, which makes changes", {
  skip:
    (!WHOLE_CHROMIUM && "no Chromium with profiles is installed") || without("nginx", "openssl", "certutil"),
}, async (t) => {
  const { folder, request, signedIn } = await openBehindNginx(t, SIGN_IN, {
    authProxy: byCertificate(),
    ui: loadUi,
  });
  const browser = await openBrowser(t, folder);
  const page = await browser.newPage();
  await page.goto("https://flags.example/projects");
  await isUsedBy(page, "nina");
  const [cookie] = await browser.cookies();
  assert.deepEqual(
    [cookie?.name, cookie?.secure, cookie?.httpOnly, cookie?.sameSite],
    ["unleash-session", true, true, "Strict"],
  );
  await signedIn();
  await visit(page, "/me");
  await press(page, "button", "Sign out everywhere else");
  await holds(page, "!document.body.innerText.includes('Sign out everywhere else')");
  const { events } = (await request("/api/admin/logins")).body;
  assert.deepEqual(
    events.map(({ auth_type }: { auth_type: string }) => auth_type),
    ["simple", "proxy"],
  );
});
