import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import type { TestContext } from "node:test";
import { setTimeout } from "node:timers/promises";
import { build, stop } from "esbuild";
import { launch } from "../../scripts/browser.ts";
import { serveFile } from "../sdk/serving-file.ts";
import { FRONTEND } from "../support/world.ts";
import { sees, test } from "./browser.ts";

/*
 * @unleash/proxy-client-react from npm in a page of another site.
 */

async function bundle() {
  const { outputFiles } = await build({
    entryPoints: [path.join(import.meta.dirname, "react-app.jsx")],
    bundle: true,
    write: false,
    jsx: "automatic",
    define: { "process.env.NODE_ENV": '"production"' },
  });
  await stop();
  return outputFiles[0]!.text;
}

/** A site whose page evaluates flags of a server. */
async function serveSite(t: TestContext, url: string) {
  const config = {
    url: `${url}/api/frontend`,
    clientKey: FRONTEND,
    appName: "page",
    refreshInterval: 0.1,
    metricsInterval: 0.1,
    metricsIntervalInitial: 0,
  };
  const script = `window.config = ${JSON.stringify(config)};\n${await bundle()}`;
  const site = http.createServer((request, response) => {
    if (request.url === "/app.js") response.setHeader("content-type", "text/javascript").end(script);
    else response.setHeader("content-type", "text/html").end(`<div></div><script src="/app.js"></script>`);
  });
  site.listen(0, "127.0.0.1");
  await once(site, "listening");
  t.after(() => {
    site.close();
    site.closeAllConnections();
  });
  return `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
}

test("the React SDK starts, sees changes, reports usage, and survives a restart, until its token is revoked", async (t) => {
  const { url, admin, turnMenu, ...server } = await serveFile(t);
  const site = await serveSite(t, url);
  const browser = await launch();
  t.after(() => browser.close());
  const page = await browser.newPage();
  const statuses: number[] = [];
  page.on("response", (response) => {
    if (response.url().startsWith(`${url}/api/frontend?`)) statuses.push(response.status());
  });
  const until = async (condition: () => Promise<boolean>) => {
    while (!(await condition())) await setTimeout(20);
  };

  await page.goto(site);
  await sees(page, "cart is red, menu is off, all is well");
  await turnMenu("on");
  await sees(page, "menu is on");
  await until(async () => statuses.includes(304));
  await until(async () => {
    const { seenApplications } = await admin("/client-metrics/features/menu");
    return seenApplications.includes("page");
  });

  await server.stop();
  await sees(page, "cart is red, menu is on");
  await server.startAgain();
  await turnMenu("off");
  await sees(page, "menu is off");

  await admin(`/api-tokens/${encodeURIComponent(FRONTEND)}`, "DELETE");
  await sees(page, "cart is red, menu is off, 401");
  assert.equal(statuses.at(-1), 401, "a page of another site may read the status");
});
