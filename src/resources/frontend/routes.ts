import type { SdkActor } from "../../auth/authenticate-sdk.ts";
import type { Database } from "../../db/statement.ts";
import { operation } from "../../http/operation.ts";
import { evaluatorOf } from "../client/require.ts";
import { fromQuery, toContext } from "./require.ts";
import { FrontendFlags, FrontendQuestion } from "./schema.ts";

export const readFrontendFlags = operation({
  id: "getFrontendFeatures",
  summary: "The flags that are on for whoever asks",
  tag: "Frontend",
  method: "GET",
  path: "/api/frontend",
  permission: { isForSdks: true },
  isNotKept: true,
  response: FrontendFlags,
}).run(({ db, actor, searchParams, address }) =>
  flagsFor(db, actor as SdkActor, fromQuery(searchParams), address),
);

export const postFrontendFlags = operation({
  id: "getPostFrontendFeatures",
  summary: "The same, with the context in the body",
  tag: "Frontend",
  method: "POST",
  path: "/api/frontend",
  permission: { isForSdks: true },
  isNotKept: true,
  body: FrontendQuestion,
  response: FrontendFlags,
}).run(({ db, actor, body, address }) => flagsFor(db, actor as SdkActor, body.context, address));

function flagsFor(
  db: Database,
  actor: SdkActor,
  given: Record<string, unknown>,
  address: string | undefined,
) {
  const { evaluator, environment } = evaluatorOf(db, actor);
  const context = toContext(given, { address, environment });
  const toggles = [...evaluator.features.values()].flatMap(({ name, impressionData }) => {
    const { feature_enabled: isOn, ...variant } = evaluator.evaluate(name, context);
    if (!isOn) return [];
    const whole = { ...variant, feature_enabled: true as const, featureEnabled: true as const };
    return [{ name, enabled: true as const, variant: whole, impressionData }];
  });
  return { toggles };
}
