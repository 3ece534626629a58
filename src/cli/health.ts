import { toUrl } from "../http/node-server.ts";
import { explainNetworkError, requireUrl, send } from "../http/other-server.ts";
import { command } from "./command.ts";
import type { Config } from "./config.ts";
import { CA_OPTION, trustOf } from "./server-url.ts";

const TIMEOUT_MS = 3000;

export const health = command({
  name: "health",
  summary: "Check whether a server is ready; for containers and scripts",
  usage: "[URL]",
  example: "health http://127.0.0.1:4242",
  settings: ["host", "port", "base-path", "tls-cert"],
  options: CA_OPTION,
  async run({ args, config, options, print }) {
    const url = args[0] ?? ownUrl(config);
    const target = requireUrl(url, "/ready");
    const trust = trustOf(options.ca, config["tls-cert"]);
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await send(target, { ...trust, signal }).catch((error) => {
      const tooLong = error.code === "ABORT_ERR" && `it took longer than ${TIMEOUT_MS / 1000} seconds`;
      throw new Error(`${url} does not respond: ${tooLong || explainNetworkError(error)}`);
    });
    response.resume();
    if (response.statusCode !== 200)
      throw new Error(`${url} is not ready: it responded with ${response.statusCode}`);
    print("ready");
  },
});

/** The URL of the server that was started with the same settings. */
export const ownUrl = ({ host, port, "base-path": basePath, "tls-cert": cert }: Config) =>
  toUrl({ host, port, isTls: cert !== "" }) + basePath;
