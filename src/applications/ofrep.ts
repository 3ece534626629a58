import type { Actor } from "../access/actor.ts";
import type { SdkActor } from "../access/authenticate.ts";
import { streamKey } from "../access/token.ts";
import type { Database } from "../db/database.ts";
import type { ClientFeature } from "../evaluation/client-feature.ts";
import { type Context, toContext } from "../evaluation/context.ts";
import type { Evaluator } from "../evaluation/evaluator.ts";
import { GET, POST, WithHeaders } from "../http/operation.ts";
import { OwnPath } from "../lib/raw-json.ts";
import { parsedJson } from "../lib/text.ts";
import { isObject } from "../lib/validation.ts";
import { flagsSince } from "./client-delta.ts";
import { evaluatorOf, inTimeOf } from "./client-evaluators.ts";
import {
  EvaluationRequest,
  EvaluationResult,
  type FlagFailure,
  type FlagValue,
  FlagValues,
  Refetch,
} from "./ofrep-schema.ts";

export const evaluateFlag = POST({
  id: "evaluateFlag",
  summary: "Evaluate a flag, for OpenFeature",
  tag: "OFREP",
  path: "/ofrep/v1/evaluate/flags/:key",
  permission: { isForSdks: true },
  isUncached: true, // the result depends on the time
  body: EvaluationRequest,
  isBodyOptional: true,
  response: EvaluationResult,
  example: { context: { targetingKey: "7", plan: "gold" } },
}).run(({ db, actor, params: { key }, body: { context = {} } }) => {
  if (!isObject(context)) return failure(400, { key, ...NO_CONTEXT });
  const { evaluator, environment } = evaluatorOf(db, actor as SdkActor);
  const feature = evaluator.features.get(key);
  if (feature) return flagValue(evaluator, feature, toContexts(db, context, environment));
  return failure(404, { key, errorCode: "FLAG_NOT_FOUND", errorDetails: `There is no flag ${key}` });
});

export const evaluateFlags = POST({
  id: "evaluateFlags",
  summary: "Evaluate all flags, for OpenFeature",
  tag: "OFREP",
  path: "/ofrep/v1/evaluate/flags",
  permission: { isForSdks: true },
  isUncached: true, // the result depends on the time
  body: EvaluationRequest,
  isBodyOptional: true,
  isConditional: true,
  response: FlagValues,
  example: { context: { targetingKey: "7", plan: "gold" } },
}).run(({ db, actor, body: { context = {} } }) => {
  if (!isObject(context)) return failure(400, NO_CONTEXT);
  const { evaluator, environment } = evaluatorOf(db, actor as SdkActor);
  const contexts = toContexts(db, context, environment);
  return {
    flags: [...evaluator.features.values()].map((feature) => flagValue(evaluator, feature, contexts)),
    eventStreams: [{ type: "sse" as const, endpoint: { requestUri: streamPath(db, actor) } }],
  };
});

const NO_CONTEXT = { errorCode: "INVALID_CONTEXT", errorDetails: "context: must be an object" } as const;

const failure = (status: number, body: FlagFailure) => new WithHeaders(body, {}, status);

/** Without a fixed session, random choices would change with each poll. */
const SESSION = "ofrep";

function toContexts(
  db: Database,
  { targetingKey, ...rest }: Record<string, unknown>,
  environment: string,
): EvaluationContexts {
  const values = { userId: targetingKey, ...rest };
  return {
    context: inTimeOf(db, toContext(values, { environment })),
    inSession: inTimeOf(db, toContext(values, { environment, sessionId: SESSION })),
  };
}

const STREAM = "/ofrep/v1/stream";

export const streamRefetches = GET({
  id: "streamRefetches",
  summary: "Notify OpenFeature clients when to request flags again, as server-sent events",
  tag: "OFREP",
  path: STREAM,
  permission: { isForSdks: true },
  response: Refetch,
}).stream(({ db, actor }, since) => {
  const { position, isChanged } = flagsSince(db, actor as SdkActor, since);
  const messages = isChanged ? [{ id: position, data: { type: "refetchEvaluation" as const } }] : [];
  return { messages, position };
});

/** The path for listening; it identifies the token, so that no header is needed. */
const streamPath = (db: Database, { tokenId }: Actor) =>
  new OwnPath(`${STREAM}?key=${streamKey(db, tokenId!)}`);

interface EvaluationContexts {
  context: Context;
  /** The same, with a fixed session if it has none. */
  inSession: Context;
}

/** A flag's value for a context, in OpenFeature's terms. */
function flagValue(
  evaluator: Evaluator,
  feature: ClientFeature,
  { context: withoutSession, inSession }: EvaluationContexts,
): FlagValue | FlagFailure {
  const { name: key, project, type } = feature;
  const context = dependsOnSession(evaluator, feature) ? withoutSession : inSession;
  const {
    feature_enabled: isOn,
    enabled: hasVariant,
    name: variant,
    payload,
    error,
  } = evaluator.evaluate(key, context);
  const value = isOn ? parsed(payload) : offValue(feature);
  if (isOn && value === undefined)
    return { key, errorCode: "PARSE_ERROR", errorDetails: `The payload of ${variant} is not valid JSON` };
  return {
    key,
    ...(value !== undefined && { value }),
    reason: error === undefined ? reasonOf(feature, isOn, hasVariant) : "ERROR",
    ...(hasVariant && { variant }),
    metadata: { project, type, environment: context.environment ?? "", ...(error && { error }) },
  };
}

/** Whether the result depends on which session it is, and not only on its staying the same. */
const dependsOnSession = ({ features, segments: all }: Evaluator, feature: ClientFeature): boolean =>
  [feature, ...(feature.dependencies ?? []).map((parent) => features.get(parent.feature))].some((flag) =>
    flag?.strategies.some(
      ({ name, parameters, constraints, segments = [] }) =>
        name === "gradualRolloutSessionId" ||
        parameters.stickiness === "sessionId" ||
        [constraints, ...segments.map((id) => all.get(id)?.constraints ?? [])]
          .flat()
          .some(({ contextName }) => contextName === "sessionId"),
    ),
  );

/** The payload according to its type; true if there is none, undefined for JSON that is none. */
function parsed(payload: { type: string; value: string } | undefined): unknown {
  if (!payload) return true;
  if (payload.type === "number") return Number(payload.value);
  return payload.type === "json" ? parsedJson(payload.value) : payload.value;
}

/** The value of a flag that is off: none if it has payloads, so that the application's default applies. */
function offValue({ variants, strategies }: ClientFeature): false | undefined {
  const all = [...variants, ...strategies.flatMap((strategy) => strategy.variants)];
  return all.some(({ payload }) => payload !== undefined) ? undefined : false;
}

function reasonOf(
  { enabled, strategies }: ClientFeature,
  isOn: boolean,
  hasVariant: boolean,
): FlagValue["reason"] {
  if (!enabled) return "DISABLED";
  if (!isOn) return "DEFAULT";
  if (hasVariant || strategies.some(({ parameters }) => isSplit(parameters))) return "SPLIT";
  return strategies.every(isForEveryone) ? "STATIC" : "TARGETING_MATCH";
}

const isSplit = ({ rollout, percentage }: Record<string, string>) =>
  Number(rollout ?? percentage ?? 100) < 100;

const isForEveryone = ({ name, constraints, segments = [] }: ClientFeature["strategies"][number]) =>
  constraints.length === 0 && segments.length === 0 && (name === "default" || name === "flexibleRollout");
