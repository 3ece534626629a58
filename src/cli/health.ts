import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import { type Config, UsageError } from "../config.ts";
import { toUrl } from "../http/listen.ts";
import type { Command } from "./command.ts";
import { readPem } from "./tls.ts";

const TIMEOUT_MS = 3000;

export const health: Command = {
  name: "health",
  summary: "Ask a server whether it is ready; for containers and scripts",
  usage: "[URL]",
  args: [0, 1],
  example: "health http://127.0.0.1:4242",
  settings: ["host", "port", "base-path", "tls-cert"],
  async run({ args, config, print }) {
    const url = args[0] ?? ownUrl(config);
    const target = requireUrl(`${url.replace(/\/$/, "")}/ready`);
    const cert = config["tls-cert"];
    const ca = cert === "" ? undefined : readPem("--tls-cert", cert);
    const status = await ask(target, ca).catch((error: Error) => {
      throw new Error(`${url} does not answer: ${error.message}`);
    });
    if (status !== 200) throw new Error(`${url} is not ready: it answers ${status}`);
    print("ready");
  },
};

/** The server that was started with the same settings. */
const ownUrl = ({ host, port, "base-path": basePath, "tls-cert": cert }: Config) =>
  toUrl({ host, port, isTls: cert !== "" }) + basePath;

function requireUrl(text: string) {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw new UsageError(`URL: ${JSON.stringify(text.replace(/\/ready$/, ""))} must be one of http or https`);
}

/**
 * The status of the answer. A certificate that the settings name is trusted whatever name it is for: it is the
 * server's own, and the server is asked by its address.
 */
async function ask(url: URL, ca: string | undefined): Promise<number | undefined> {
  const trust = ca !== undefined && {
    ca,
    allowPartialTrustChain: true,
    checkServerIdentity: () => undefined,
  };
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const request =
    url.protocol === "https:" ? https.get(url, { signal, ...trust }) : http.get(url, { signal });
  const [response] = (await once(request, "response", { signal })) as [http.IncomingMessage];
  response.resume();
  return response.statusCode;
}
