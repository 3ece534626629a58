import type { AddressInfo } from "node:net";
import proxy from "@unleash/proxy";

/*
 * The original's open-source proxy, as in its example: it polls a server with a client token, and pages poll the proxy.
 * Prints its port.
 */

const [, , unleashUrl = "", unleashApiToken = "", clientKey = ""] = process.argv;
const app = proxy.createApp({
  unleashUrl,
  unleashApiToken,
  unleashAppName: "proxy",
  clientKeys: [clientKey],
  expServerSideSdkConfig: { tokens: [clientKey] },
  refreshInterval: 50,
  metricsInterval: 50,
});
const server = app.listen(0, "127.0.0.1", () => process.send!((server.address() as AddressInfo).port));
process.once("disconnect", () => process.exit());
