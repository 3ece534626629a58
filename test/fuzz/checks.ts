import zlib from "node:zlib";
import * as v from "valibot";
import { FlagFailure } from "../../src/applications/ofrep-schema.ts";
import { type Operation, operationFinder, textTypeOf } from "../../src/http/operation.ts";
import { ErrorBody } from "../../src/lib/api-error.ts";
import { OPERATIONS } from "../../src/server/surfaces.ts";
import { type Caller, HIDDEN_PROJECT, HIDDEN_TEXT, mayReceiveHidden, SECRETS } from "./dataset.ts";
import type { Exchange, Reply } from "./exchange.ts";

/*
 * Checks that every response must pass, whatever was sent.
 */

/** Something to send on one connection, and how. */
export interface Case {
  title: string;
  as: Caller;
  /** Sent one after the other, with pauses. */
  pieces: Buffer[];
  /** How often all pieces are sent, pipelined. */
  times: number;
  /** Resets the connection after sending, without waiting for a response. */
  hangsUp: boolean;
  /** How many responses must arrive; undefined if the server may still be waiting for input. */
  answers: number | undefined;
}

/** A failed check. */
export class Finding extends Error {}

const SHOWN = 1500;

/** Bytes as a string literal, truncated in the middle if long. */
export function escaped(bytes: Buffer): string {
  const text = JSON.stringify(bytes.toString("latin1"));
  if (text.length <= SHOWN) return text;
  return `${text.slice(0, SHOWN / 2)} … ${bytes.length} bytes in total … ${text.slice(-SHOWN / 2)}`;
}

/** Describes a case so that it can be sent again. */
export const describe = ({ title, as, pieces, times, hangsUp }: Case) =>
  [
    `${title}, as ${as}${times > 1 ? `, ${times} times` : ""}${hangsUp ? ", then hangs up" : ""}`,
    ...pieces.map((piece) => `  ${escaped(piece)}`),
  ].join("\n");

const KNOWN: ReadonlySet<number> = new Set([
  200, 201, 202, 204, 304, 400, 401, 403, 404, 405, 408, 409, 410, 412, 413, 415, 417, 429, 431,
]);

/** Internals that must not leak: stack traces, SQL, and the name of unexpected errors. */
const INTERNALS =
  /UnknownError|\n\s+at |\(?(?:file|node):\/?\S+:\d+:\d+|SQLITE_|\b(?:SELECT|INSERT|UPDATE|DELETE)\b.+\b(?:FROM|INTO|SET)\b/;

/** @throws Finding */
function demand(holds: boolean, expected: string, seen: unknown = ""): asserts holds {
  if (!holds) throw new Finding(`expected ${expected}${seen === "" ? "" : `, not ${seen}`}`);
}

/** Checks everything that came back on a connection. @throws Finding */
export function checkExchange(one: Case, { replies, rest, isLate, isEnded, isReset }: Exchange) {
  demand(!isLate, `${one.answers} responses in time`, replies.length);
  // If invalid HTTP follows a request, the server may close the connection in the middle of the response.
  const mayBreakOff = isReset || !isEnded || one.answers === undefined;
  demand(rest.length === 0 || mayBreakOff, "no partial response", escaped(rest));
  if (one.answers !== undefined && !isReset) demand(replies.length > 0, "a response");
  for (const reply of replies) checkReply(one, reply);
}

function checkReply(one: Case, reply: Reply) {
  const { status, headers } = reply;
  const body = decoded(reply).toString();
  demand(KNOWN.has(status), "a known status", `${status} ${body.slice(0, 500)}`);
  demand(!INTERNALS.test(body), "no internals", body.slice(0, 1000));
  requireNoSecret(body);
  requireHidden(one, status, body);
  if (body === "") return;
  const operation = operationOf(one);
  if (status >= 400 && status !== operation?.status) checkError(status, headers, body);
  else if (status === 200 || status === operation?.status) checkAnswer(one, operation, body);
}

/** @throws Finding if the program's output contains a secret. */
export function requireNoSecret(text: string) {
  const leaked = SECRETS.find((secret) => text.includes(secret));
  demand(leaked === undefined, "no secret", leaked);
}

/**
 * Nothing about a private project may reach a caller who cannot see it, except what the request itself contained:
 * repeated by an error, or as the flag's name in its list of events or usage.
 */
function requireHidden({ as, pieces }: Case, status: number, body: string) {
  if (mayReceiveHidden(as)) return;
  const sent = Buffer.concat(pieces).toString("latin1");
  const request = sent.replaceAll(/%([\da-f]{2})/gi, toCharacter);
  const rest = body.replace(/"(?:toggleName|featureName)":"([^"]*)"/, (all, name) =>
    request.includes(name) ? "" : all,
  );
  for (const word of [HIDDEN_PROJECT, HIDDEN_TEXT]) {
    const isRepeated = status >= 400 && (request.includes(word) || ENCODED.test(sent));
    demand(
      !rest.includes(word) || isRepeated,
      `nothing of the private project for ${as}`,
      body.slice(0, 1000),
    );
  }
  if (status !== 200 || !SEARCH_OF_HIDDEN.test(sent) || REPEATED.test(sent)) return;
  demand(body.endsWith('"totalEvents":0}'), "a total that counts nothing hidden", body.slice(-100));
}

/** The content of such a body cannot be found in the bytes sent. */
const ENCODED = /content-encoding:|transfer-encoding:/i;

/** A criterion that only hidden events meet, at the top level of the body; of a repeated one only the last counts. */
const SEARCH_OF_HIDDEN = new RegExp(
  `^POST .*\r\n\r\n[^{]*{[^{]*("project":"${HIDDEN_PROJECT}"|"(query|feature)":"${HIDDEN_TEXT}")`,
  "s",
);
const REPEATED = /("(?:project|query|feature)":).*\1/s;

const toCharacter = (_: string, hex: string) => String.fromCharCode(Number.parseInt(hex, 16));

/** OpenFeature has its own format for the failure of a single flag. */
const AnyError = v.union([ErrorBody, FlagFailure]);

function checkError(status: number, headers: Reply["headers"], body: string) {
  const type = headers.get("content-type");
  demand(type === "application/json; charset=utf-8", "an error with the JSON content type", type);
  const result = v.safeParse(AnyError, parsed(body));
  demand(result.success, `the standard error body with ${status}`, body.slice(0, 500));
}

/** A response must match the schema of its operation. */
function checkAnswer(one: Case, operation: Operation | undefined, body: string) {
  if (one.answers === undefined || !pathOf(one).startsWith("/api/")) return;
  demand(operation !== undefined, `an operation at ${pathOf(one)}`);
  const value = textTypeOf(operation.response) ? body : parsed(body);
  const { issues } = v.safeParse(operation.response, value);
  demand(
    !issues,
    `the shape of ${operation.path}`,
    `${issues && v.getDotPath(issues[0])} ${body.slice(0, 500)}`,
  );
}

const operationAt = operationFinder(OPERATIONS);

const operationOf = (one: Case) => operationAt(lineOf(one)[1] ?? "", pathOf(one));

const lineOf = ({ pieces }: Case) => /^(\S+) (\/\S*) HTTP/.exec(pieces[0]!.toString("latin1")) ?? [];

/** The path of the request, with `..` resolved. */
const pathOf = (one: Case) => new URL(`http://x/${lineOf(one)[2] ?? ""}`).pathname.replaceAll(/\/+/g, "/");

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new Finding(`expected JSON, not ${body.slice(0, 500)}`);
  }
}

const DECODERS: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  identity: (body) => body,
  gzip: zlib.gunzipSync,
  br: zlib.brotliDecompressSync,
};

function decoded({ headers, body }: Reply): Buffer {
  const encoding = headers.get("content-encoding") ?? "identity";
  if (body.length === 0) return body;
  try {
    return DECODERS[encoding]!(body);
  } catch {
    throw new Finding(`expected a body that is ${encoding}`);
  }
}

/** The ids of errors that must be logged; each missing operation is logged only once. */
export const idsIn = ({ replies }: Exchange): string[] =>
  replies
    .filter(({ status, body }) => status >= 400 && body.length > 0)
    .map((reply) => parsed(decoded(reply).toString()) as ErrorBody)
    .filter(({ id }) => id !== undefined) // OpenFeature errors have none
    .filter(({ message }) => !message.startsWith("Flagstone has no operation"))
    .map(({ id }) => id);
