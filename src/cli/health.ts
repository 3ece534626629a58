import type https from "node:https";
import { toUrl } from "../http/listen.ts";
import type { Command } from "./command.ts";
import type { Config } from "./config.ts";
import { CA_OPTION, explainNetworkError, requireUrl, send, trustOf } from "./server-url.ts";

const TIMEOUT_MS = 3000;

export const health: Command = {
  name: "health",
  summary: "Check whether a server is ready; for containers and scripts",
  usage: "[URL]",
  arity: [0, 1],
  example: "health http://127.0.0.1:4242",
  settings: ["host", "port", "base-path", "tls-cert"],
  options: CA_OPTION,
  async run({ args, config, options, print }) {
    const url = args[0] ?? ownUrl(config);
    const target = requireUrl(url, "/ready");
    const trust = trustOf(options.ca as string | undefined, config["tls-cert"]);
    const status = await getStatus(target, trust).catch((error: NodeJS.ErrnoException) => {
      const tooLong = error.code === "ABORT_ERR" && `it took longer than ${TIMEOUT_MS / 1000} seconds`;
      throw new Error(`${url} does not respond: ${tooLong || explainNetworkError(error)}`);
    });
    if (status !== 200) throw new Error(`${url} is not ready: it responded with ${status}`);
    print("ready");
  },
};

/** The URL of the server that was started with the same settings. */
export const ownUrl = ({ host, port, "base-path": basePath, "tls-cert": cert }: Config) =>
  toUrl({ host, port, isTls: cert !== "" }) + basePath;

async function getStatus(url: URL, trust: https.RequestOptions): Promise<number | undefined> {
  const response = await send(url, { ...trust, signal: AbortSignal.timeout(TIMEOUT_MS) });
  response.resume();
  return response.statusCode;
}
