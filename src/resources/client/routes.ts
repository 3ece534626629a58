import crypto from "node:crypto";
import * as v from "valibot";
import type { SdkActor } from "../../auth/authenticate-sdk.ts";
import { snapshot } from "../../db/snapshot.ts";
import { ApiError } from "../../http/error.ts";
import { operation } from "../../http/operation.ts";
import { knowsSegments, toEcho, toWanted } from "./require.ts";
import { ClientFeature, ClientFeatures, ClientQuery } from "./schema.ts";
import { clientFeatures, clientSegments, revision } from "./store.ts";

export const listClientFeatures = operation({
  id: "getAllClientFeatures",
  summary: "The flags of an application's environment",
  tag: "Client",
  method: "GET",
  path: "/api/client/features",
  permission: { isForSdks: true },
  query: ClientQuery,
  response: ClientFeatures,
}).run(({ db, actor, query, headers }) =>
  snapshot(db, () => {
    const wanted = toWanted(db, actor as SdkActor, query);
    const hasSegments = knowsSegments(headers.get("unleash-client-spec"));
    const queryHash = crypto.hash("sha1", JSON.stringify([wanted, hasSegments]), "hex").slice(0, 8);
    const revisionId = revision(db);
    return {
      version: 2 as const,
      features: clientFeatures(db, wanted, !hasSegments),
      query: toEcho(actor as SdkActor, wanted, query, !hasSegments),
      ...(hasSegments && { segments: clientSegments(db) }),
      meta: { revisionId, etag: `"${queryHash}:${revisionId}"`, queryHash },
    };
  }),
);

export const readClientFeature = operation({
  id: "getClientFeature",
  summary: "A flag of an application's environment",
  tag: "Client",
  method: "GET",
  path: "/api/client/features/:featureName",
  permission: { isForSdks: true },
  params: v.object({ featureName: v.string() }),
  query: v.pick(ClientQuery, ["environment"]),
  errors: ["NotFoundError"],
  response: ClientFeature,
}).run(({ db, actor, params: { featureName: name }, query, headers }) => {
  const wanted = toWanted(db, actor as SdkActor, { ...query, project: [], tag: [] });
  const inlines = !knowsSegments(headers.get("unleash-client-spec"));
  const [feature] = clientFeatures(db, { ...wanted, name }, inlines);
  if (!feature) throw new ApiError("NotFoundError", `There is no flag ${name}`);
  return feature;
});
