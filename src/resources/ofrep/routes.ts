import * as v from "valibot";
import type { SdkActor } from "../../auth/authenticate-sdk.ts";
import type { Context } from "../../evaluation/context.ts";
import { operation, WithHeaders } from "../../http/operation.ts";
import { evaluatorOf } from "../client/require.ts";
import { toContext } from "../frontend/require.ts";
import { flagValue } from "./evaluate.ts";
import { FlagAnswer, type FlagFailure, FlagValues, Question } from "./schema.ts";

export const evaluateFlag = operation({
  id: "evaluateFlag",
  summary: "A flag's value, for OpenFeature",
  tag: "OFREP",
  method: "POST",
  path: "/ofrep/v1/evaluate/flags/:key",
  permission: { isForSdks: true },
  isNotKept: true, // the address and the time of who asks count
  params: v.object({ key: v.string() }),
  body: Question,
  isBodyOptional: true,
  response: FlagAnswer,
}).run(({ db, actor, params: { key }, body: { context: given }, address }) => {
  const { evaluator, environment } = evaluatorOf(db, actor as SdkActor);
  const context = contextOf(given, environment, address);
  if (!context) return failed(400, { key, ...NO_CONTEXT });
  const feature = evaluator.features.get(key);
  if (feature) return flagValue(evaluator, feature, context);
  return failed(404, { key, errorCode: "FLAG_NOT_FOUND", errorDetails: `There is no flag ${key}` });
});

export const evaluateFlags = operation({
  id: "evaluateFlags",
  summary: "The values of all flags, for OpenFeature",
  tag: "OFREP",
  method: "POST",
  path: "/ofrep/v1/evaluate/flags",
  permission: { isForSdks: true },
  isNotKept: true, // the address and the time of who asks count
  body: Question,
  isBodyOptional: true,
  isConditional: true,
  response: FlagValues,
}).run(({ db, actor, body: { context: given }, address }) => {
  const { evaluator, environment } = evaluatorOf(db, actor as SdkActor);
  const context = contextOf(given, environment, address);
  if (!context) return failed(400, NO_CONTEXT);
  return { flags: [...evaluator.features.values()].map((feature) => flagValue(evaluator, feature, context)) };
});

const NO_CONTEXT = { errorCode: "INVALID_CONTEXT", errorDetails: "context: must be an object" } as const;

const failed = (status: number, failure: FlagFailure) => new WithHeaders(failure, {}, status);

/** Without a session of its own each poll would be another throw of the dice. */
const SESSION = "ofrep";

function contextOf(
  given: unknown = {},
  environment: string,
  address: string | undefined,
): Context | undefined {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return undefined;
  const { targetingKey, ...rest } = given as Record<string, unknown>;
  return toContext({ sessionId: SESSION, userId: targetingKey, ...rest }, { address, environment });
}
