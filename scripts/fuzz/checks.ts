import zlib from "node:zlib";
import * as v from "valibot";
import { ErrorBody } from "../../src/http/error.ts";
import { operationFinder } from "../../src/http/find-operation.ts";
import { type Operation, textTypeOf } from "../../src/http/operation.ts";
import { FlagFailure } from "../../src/resources/ofrep/schema.ts";
import { OPERATIONS } from "../../src/surfaces.ts";
import { type Case, escaped, Finding } from "./case.ts";
import { HIDDEN_PROJECT, HIDDEN_TEXT, mayBeTold, SECRETS } from "./dataset.ts";
import type { Exchange } from "./exchange.ts";
import type { Reply } from "./replies.ts";

/*
 * What has to hold of every answer, whatever was sent.
 */

const KNOWN: ReadonlySet<number> = new Set([
  200, 201, 202, 204, 304, 400, 401, 403, 404, 405, 408, 409, 410, 412, 413, 415, 417, 429, 431,
]);

/** What is only for the log, or for nobody: stacks, SQL, and the name of what is unexpected. */
const INSIDE =
  /UnknownError|\n\s+at |\(?(?:file|node):\/?\S+:\d+:\d+|SQLITE_|\b(?:SELECT|INSERT|UPDATE|DELETE)\b.+\b(?:FROM|INTO|SET)\b/;

/** @throws Finding */
function demand(holds: boolean, expected: string, seen: unknown = ""): asserts holds {
  if (!holds) throw new Finding(`expected ${expected}${seen === "" ? "" : `, not ${seen}`}`);
}

/** What came back on a connection. @throws Finding */
export function checkExchange(one: Case, { replies, rest, isLate, isEnded, isReset }: Exchange) {
  demand(!isLate, `${one.answers} answers in time`, replies.length);
  // Where what follows a request is no HTTP, the connection is closed in the middle of the answer, which shows.
  const mayBreakOff = isReset || !isEnded || one.answers === undefined;
  demand(rest.length === 0 || mayBreakOff, "no part of an answer before the end", escaped(rest));
  if (one.answers !== undefined && !isReset) demand(replies.length > 0, "an answer");
  for (const reply of replies) checkReply(one, reply);
}

function checkReply(one: Case, reply: Reply) {
  const { status, headers } = reply;
  const body = decoded(reply).toString();
  demand(KNOWN.has(status), "a status that is known", `${status} ${body.slice(0, 500)}`);
  demand(!INSIDE.test(body), "nothing from inside", body.slice(0, 1000));
  requireNoSecret(body);
  requireHidden(one, status, body);
  if (body === "") return;
  const operation = operationOf(one);
  if (status >= 400 && status !== operation?.status) checkError(status, headers, body);
  else if (status === 200 || status === operation?.status) checkAnswer(one, operation, body);
}

/** @throws Finding for a secret in a text that leaves the program. */
export function requireNoSecret(text: string) {
  const told = SECRETS.find((secret) => text.includes(secret));
  demand(told === undefined, "no secret", told);
}

/**
 * Errors may repeat what was asked for, and so may the flag's name in a list of its events or its use; else nothing
 * tells of a private project to who may not see it.
 */
function requireHidden({ as, pieces }: Case, status: number, body: string) {
  if (mayBeTold(as)) return;
  const sent = Buffer.concat(pieces).toString("latin1");
  const asked = sent.replaceAll(/%([\da-f]{2})/gi, toCharacter);
  const told = body.replace(/"(?:toggleName|featureName)":"([^"]*)"/, (all, name) =>
    asked.includes(name) ? "" : all,
  );
  for (const word of [HIDDEN_PROJECT, HIDDEN_TEXT]) {
    const isRepeated = status >= 400 && (asked.includes(word) || IN_PARTS.test(sent));
    demand(
      !told.includes(word) || isRepeated,
      `nothing of the private project for ${as}`,
      body.slice(0, 1000),
    );
  }
  if (status !== 200 || !SEARCH_OF_HIDDEN.test(sent) || REPEATED.test(sent)) return;
  demand(body.endsWith('"totalEvents":0}'), "a total that counts nothing hidden", body.slice(-100));
}

/** What such a body holds can't be seen in what was sent. */
const IN_PARTS = /content-encoding:|transfer-encoding:/i;

/** A criterion that only what is hidden meets, not inside another value; of a repeated one the last would count. */
const SEARCH_OF_HIDDEN = new RegExp(
  `^POST .*\r\n\r\n[^{]*{[^{]*("project":"${HIDDEN_PROJECT}"|"(query|feature)":"${HIDDEN_TEXT}")`,
  "s",
);
const REPEATED = /("(?:project|query|feature)":).*\1/s;

const toCharacter = (_: string, hex: string) => String.fromCharCode(Number.parseInt(hex, 16));

/** What goes wrong with one flag has OpenFeature's words. */
const AnyError = v.union([ErrorBody, FlagFailure]);

function checkError(status: number, headers: Reply["headers"], body: string) {
  const type = headers.get("content-type");
  demand(type === "application/json; charset=utf-8", "an error of the type JSON", type);
  const result = v.safeParse(AnyError, parsed(body));
  demand(result.success, `the one error body with ${status}`, body.slice(0, 500));
}

/** The answer to an operation has the shape that its contract promises. */
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

/** Of the request; `..` leads elsewhere. */
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

/** The ids of errors that have to be in the log; an operation that is missing is there once. */
export const idsIn = ({ replies }: Exchange): string[] =>
  replies
    .filter(({ status, body }) => status >= 400 && body.length > 0)
    .map((reply) => parsed(decoded(reply).toString()) as ErrorBody)
    .filter(({ id }) => id !== undefined) // OpenFeature's have none
    .filter(({ message }) => !message.startsWith("Flagstone has no operation"))
    .map(({ id }) => id);
