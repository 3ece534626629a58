import * as v from "valibot";
import type { SdkActor } from "../../access/authenticate-sdk.ts";
import { toContext } from "../../evaluation/context.ts";
import { operation, WithHeaders } from "../../http/operation.ts";
import { evaluatorOf } from "../client/require.ts";
import { type EvaluationContexts, flagValue } from "./evaluate.ts";
import { EvaluationRequest, EvaluationResult, type FlagFailure, FlagValues } from "./schema.ts";
import { streamPath } from "./stream-path.ts";

export const evaluateFlag = operation({
  id: "evaluateFlag",
  summary: "Evaluate a flag, for OpenFeature",
  tag: "OFREP",
  method: "POST",
  path: "/ofrep/v1/evaluate/flags/:key",
  permission: { isForSdks: true },
  isUncached: true, // the result depends on the time
  params: v.object({ key: v.string() }),
  body: EvaluationRequest,
  isBodyOptional: true,
  response: EvaluationResult,
}).run(({ db, actor, params: { key }, body: { context = {} } }) => {
  if (!isObject(context)) return failure(400, { key, ...NO_CONTEXT });
  const { evaluator, environment } = evaluatorOf(db, actor as SdkActor);
  const feature = evaluator.features.get(key);
  if (feature) return flagValue(evaluator, feature, toContexts(context, environment));
  return failure(404, { key, errorCode: "FLAG_NOT_FOUND", errorDetails: `There is no flag ${key}` });
});

export const evaluateFlags = operation({
  id: "evaluateFlags",
  summary: "Evaluate all flags, for OpenFeature",
  tag: "OFREP",
  method: "POST",
  path: "/ofrep/v1/evaluate/flags",
  permission: { isForSdks: true },
  isUncached: true, // the result depends on the time
  body: EvaluationRequest,
  isBodyOptional: true,
  isConditional: true,
  response: FlagValues,
}).run(({ db, actor, body: { context = {} } }) => {
  if (!isObject(context)) return failure(400, NO_CONTEXT);
  const { evaluator, environment } = evaluatorOf(db, actor as SdkActor);
  const contexts = toContexts(context, environment);
  return {
    flags: [...evaluator.features.values()].map((feature) => flagValue(evaluator, feature, contexts)),
    eventStreams: [{ type: "sse" as const, endpoint: { requestUri: streamPath(db, actor) } }],
  };
});

const NO_CONTEXT = { errorCode: "INVALID_CONTEXT", errorDetails: "context: must be an object" } as const;

const failure = (status: number, body: FlagFailure) => new WithHeaders(body, {}, status);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Without a fixed session, random choices would change with each poll. */
const SESSION = "ofrep";

function toContexts(
  { targetingKey, ...rest }: Record<string, unknown>,
  environment: string,
): EvaluationContexts {
  const values = { userId: targetingKey, ...rest };
  return {
    context: toContext(values, { environment }),
    inSession: toContext(values, { environment, sessionId: SESSION }),
  };
}
