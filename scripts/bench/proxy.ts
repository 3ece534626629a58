import type { AddressInfo } from "node:net";
import proxy from "@unleash/proxy";

/*
 * The original's open-source proxy in a process of its own, as in its example. Its arguments: the address of an API, a
 * token for it, and the key that pages send.
 */

const [, , unleashUrl = "", unleashApiToken = "", clientKey = ""] = process.argv;
const app = proxy.createApp({
  unleashUrl,
  unleashApiToken,
  unleashAppName: "bench",
  clientKeys: [clientKey],
});
const server = app.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  process.send!({ url: `http://127.0.0.1:${port}` });
});
process.once("disconnect", () => process.exit());
