import { X509Certificate } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type https from "node:https";
import { text } from "node:stream/consumers";
import type * as v from "valibot";
import { CLI } from "../access/actor.ts";
import type { Database } from "../db/database.ts";
import { write } from "../events/write.ts";
import { checkedBody, checkedParams, checkedQuery } from "../http/checked-input.ts";
import { fromConstraint } from "../http/failure.ts";
import { JsonStream } from "../http/json-stream.ts";
import { type Commit, type Contract, type Operation, type Request, WithHeaders } from "../http/operation.ts";
import {
  ask,
  type Connection,
  explainNetworkError,
  type Input,
  pathOf,
  refusalOf,
} from "../http/other-server.ts";
import { toJson } from "../lib/raw-json.ts";
import { UsageError } from "../lib/usage-error.ts";
import type { Context } from "./command.ts";
import { readText } from "./config.ts";

/*
 * Shared by the commands that connect to a server.
 */

/** For servers whose certificate authority Node doesn't know. */
export const CA_OPTION = {
  ca: { hint: "FILE", help: "trust the certificate authority in this file (PEM)" },
} as const;

/** For commands that a server has to authorize. */
export const SERVER_OPTIONS = {
  "token-file": { hint: "FILE", help: "a file with the token for the server (FLAGSTONE_TOKEN)" },
  ...CA_OPTION,
} as const;

/** The server at a URL, with the token and the certificate authority that were given. @param signal ends requests */
export const connectionTo = (
  url: string,
  { options, world }: Context<typeof SERVER_OPTIONS>,
  signal?: AbortSignal,
): Connection => ({
  url,
  token: tokenOf(world.env, options["token-file"]),
  options: { ...trustOf(options.ca, ""), ...(signal && { signal }) },
});

/** Never an argument, since every user of the machine could read it. */
function tokenOf({ FLAGSTONE_TOKEN: token = "" }: NodeJS.ProcessEnv, file: string | undefined): string {
  if (file !== undefined) return readText("--token-file", file).trim();
  if (token.trim() !== "") return token.trim();
  throw new UsageError("The server needs a token: set FLAGSTONE_TOKEN, or name a file with --token-file");
}

/**
 * The certificates to trust in addition to Node's own. The certificate in the settings is trusted for any name: it is
 * the server's own, which is reached by its address. Certificates issued by an authority must have the right name.
 */
export function trustOf(authority: string | undefined, cert: string): https.RequestOptions {
  if (authority !== undefined) return { ca: requireCertificate("--ca", authority) };
  if (cert === "") return {};
  const ca = readText("--tls-cert", cert);
  return { ca, allowPartialTrustChain: true, checkServerIdentity: () => undefined };
}

function requireCertificate(flag: string, file: string) {
  const pem = readText(flag, file);
  try {
    return new X509Certificate(pem) && pem;
  } catch {
    throw new UsageError(`${flag}: ${file} is not a certificate in PEM`);
  }
}

/** Calls an operation of the API. @returns the body of its response */
export type Call = <C extends Contract>(
  operation: Operation<C>,
  input?: Input,
) => Promise<v.InferOutput<C["response"]>>;

/** Calls operations on a data file, as the command line. @throws ApiError */
export const callFile =
  (db: Database): Call =>
  async (operation, input = {}) => {
    const request = {
      db,
      actor: CLI,
      params: checkedParams(operation, input.params ?? {}),
      query: checkedQuery(operation, new URL(pathOf(operation, input), "file:")),
      body: checkedBody(operation, input.body),
      signal: new AbortController().signal,
    };
    const result = await operation.handle(request as Request<never>, committing(db));
    const body = result instanceof WithHeaders ? result.body : result;
    if (body instanceof JsonStream) return JSON.parse([...body.chunks("")].join(""));
    return body === undefined ? undefined : JSON.parse(toJson(body));
  };

const committing =
  (db: Database): Commit =>
  async (change) => {
    try {
      return write(db, CLI, change);
    } catch (error) {
      throw fromConstraint(error) ?? error;
    }
  };

/** Calls operations of a server. @throws Error naming the server */
export const callServer =
  (server: Connection): Call =>
  async (operation, input = {}) => {
    const body = input.body === undefined ? "" : JSON.stringify(input.body);
    const headers = { ...(body !== "" && { "content-type": "application/json" }) };
    const { method } = operation;
    const asked = ask(server, pathOf(operation, input), { method, headers }, body);
    const response = await asked.catch((error) => {
      throw new Error(`${server.url} does not respond: ${explainNetworkError(error)}`);
    });
    if (!isSuccess(response)) throw new Error(await refusalOf(server, response));
    const answer = await text(response);
    return answer === "" ? undefined : JSON.parse(answer);
  };

const isSuccess = ({ statusCode = 0 }: IncomingMessage) => statusCode >= 200 && statusCode < 300;
