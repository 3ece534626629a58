import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import { type Config, UsageError } from "../config.ts";
import { toUrl } from "../http/listen.ts";
import type { Command } from "./command.ts";
import { readPem } from "./tls.ts";

const TIMEOUT_MS = 3000;

const UNTRUSTED = "its certificate is not trusted: name it with --ca FILE";

/** What Node's codes mean for an operator. */
const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there: start it with flagstone serve",
  ENOTFOUND: "there is no address of that name",
  EPROTO: "it does not speak HTTPS",
  ECONNRESET: "it closed the connection: does it speak HTTPS?",
  ABORT_ERR: `it took longer than ${TIMEOUT_MS / 1000} seconds`,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
};

export const health: Command = {
  name: "health",
  summary: "Ask a server whether it is ready; for containers and scripts",
  usage: "[URL]",
  arity: [0, 1],
  example: "health http://127.0.0.1:4242",
  settings: ["host", "port", "base-path", "tls-cert"],
  options: {
    ca: { type: "string", hint: "FILE", help: "trust the certificate authority in this file (PEM)" },
  },
  async run({ args, config, options, print }) {
    const url = args[0] ?? ownUrl(config);
    const target = requireUrl(`${url.replace(/\/$/, "")}/ready`);
    const trust = trustOf(options.ca as string | undefined, config["tls-cert"]);
    const status = await ask(target, trust).catch((error: NodeJS.ErrnoException) => {
      throw new Error(`${url} does not answer: ${WORDS[error.code ?? ""] ?? error.message}`);
    });
    if (status !== 200) throw new Error(`${url} is not ready: it answers ${status}`);
    print("ready");
  },
};

/** The server that was started with the same settings. */
export const ownUrl = ({ host, port, "base-path": basePath, "tls-cert": cert }: Config) =>
  toUrl({ host, port, isTls: cert !== "" }) + basePath;

function requireUrl(text: string) {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw new UsageError(`URL: ${JSON.stringify(text.replace(/\/ready$/, ""))} must be one of http or https`);
}

/**
 * Whom to trust besides those whom Node does. The settings' own certificate is trusted whatever name it is for: it
 * is the server's, and the server is asked by its address. What an authority vouches for has to have the right name.
 */
function trustOf(authority: string | undefined, cert: string): https.RequestOptions {
  if (authority !== undefined) return { ca: requireCertificate("--ca", authority) };
  if (cert === "") return {};
  const ca = readPem("--tls-cert", cert);
  return { ca, allowPartialTrustChain: true, checkServerIdentity: () => undefined };
}

function requireCertificate(flag: string, file: string) {
  const pem = readPem(flag, file);
  try {
    return new X509Certificate(pem) && pem;
  } catch {
    throw new UsageError(`${flag}: ${file} is not a certificate in PEM`);
  }
}

/** The status of the answer. */
async function ask(url: URL, trust: https.RequestOptions): Promise<number | undefined> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const request =
    url.protocol === "https:" ? https.get(url, { signal, ...trust }) : http.get(url, { signal });
  const [response] = (await once(request, "response", { signal })) as [http.IncomingMessage];
  response.resume();
  return response.statusCode;
}
