import type { SdkActor } from "../../access/authenticate-sdk.ts";
import { type Context, toContext } from "../../evaluation/context.ts";
import type { Evaluator } from "../../evaluation/evaluator.ts";
import { operation } from "../../http/operation.ts";
import { evaluatorOf } from "../client/require.ts";
import { contextDefaults, fromQuery } from "./require.ts";
import { FrontendFlags, FrontendRequest } from "./schema.ts";

export const readFrontendFlags = operation({
  id: "getFrontendFeatures",
  summary: "The flags that are on for the context in the query",
  tag: "Frontend",
  method: "GET",
  path: "/api/frontend",
  permission: { isForSdks: true },
  isUncached: true,
  response: FrontendFlags,
}).run(({ db, actor, searchParams, address }) => {
  const { evaluator, environment } = evaluatorOf(db, actor as SdkActor);
  return flagsFor(evaluator, toContext(fromQuery(searchParams), contextDefaults(address, environment)));
});

export const postFrontendFlags = operation({
  id: "getPostFrontendFeatures",
  summary: "The flags that are on for the context in the body; only the environment is filled in",
  tag: "Frontend",
  method: "POST",
  path: "/api/frontend",
  permission: { isForSdks: true },
  isUncached: true,
  body: FrontendRequest,
  response: FrontendFlags,
}).run(({ db, actor, body }) => {
  const { evaluator, environment } = evaluatorOf(db, actor as SdkActor);
  return flagsFor(evaluator, toContext(body.context, { environment }));
});

function flagsFor(evaluator: Evaluator, context: Context) {
  const toggles = [...evaluator.features.values()].flatMap(({ name, impressionData }) => {
    const { feature_enabled: isOn, ...variant } = evaluator.evaluate(name, context);
    if (!isOn) return [];
    const variantResult = { ...variant, feature_enabled: true as const, featureEnabled: true as const };
    return [{ name, enabled: true as const, variant: variantResult, impressionData }];
  });
  return { toggles };
}
