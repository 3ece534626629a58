import { X509Certificate } from "node:crypto";
import type https from "node:https";
import { UsageError } from "../config.ts";
import { readPem } from "./tls.ts";

/*
 * Shared by the commands that connect to a server.
 */

/** For servers whose certificate authority Node doesn't know. */
export const CA_OPTION = {
  ca: { type: "string", hint: "FILE", help: "trust the certificate authority in this file (PEM)" },
} as const;

const UNTRUSTED = "its certificate is not trusted: pass it with --ca FILE";

/** What Node's error codes mean to an operator. */
const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing is listening there: start it with flagstone serve",
  ENOTFOUND: "the host name is unknown",
  EPROTO: "it does not speak HTTPS",
  ECONNRESET: "it closed the connection: does it speak HTTPS?",
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
};

/** Why a server can't be reached. */
export const explainNetworkError = ({ code = "", message }: NodeJS.ErrnoException) => WORDS[code] ?? message;

/** A path on a server. @throws UsageError for an invalid URL */
export function requireUrl(address: string, path: string): URL {
  const url = URL.parse(`${address.replace(/\/$/, "")}${path}`);
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw new UsageError(`URL: ${JSON.stringify(address)} must be an http or https URL`);
}

/**
 * The certificates to trust in addition to Node's own. The certificate in the settings is trusted for any name: it is
 * the server's own, which is reached by its address. Certificates issued by an authority must have the right name.
 */
export function trustOf(authority: string | undefined, cert: string): https.RequestOptions {
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
