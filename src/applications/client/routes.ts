import crypto from "node:crypto";
import * as v from "valibot";
import type { SdkActor } from "../../access/authenticate.ts";
import { snapshot } from "../../db/snapshot.ts";
import { ClientFeature, type ClientSegment } from "../../evaluation/client-feature.ts";
import { operation, WithHeaders } from "../../http/operation.ts";
import { ApiError } from "../../lib/api-error.ts";
import { RawJson } from "../../lib/raw-json.ts";
import { delta, hydration, listOf, toPosition, toRevision } from "./delta.ts";
import { inlined } from "./inlined.ts";
import { supportsSegments, toEcho, toSelection } from "./require.ts";
import { ClientDelta, ClientFeatures, ClientQuery } from "./schema.ts";
import { isSelected, selectedFlags, selectedSegments } from "./selection.ts";
import { type State, stateOf } from "./state.ts";
import type { Flag } from "./store.ts";

export const listClientFeatures = operation({
  id: "getAllClientFeatures",
  summary: "The flags in an application's environment",
  tag: "Client",
  method: "GET",
  path: "/api/client/features",
  permission: { isForSdks: true },
  query: ClientQuery,
  response: ClientFeatures,
}).run(({ db, actor, query, headers }) =>
  snapshot(db, () => {
    const selection = toSelection(db, actor as SdkActor, query);
    const hasSegments = supportsSegments(headers.get("unleash-client-spec"));
    const state = stateOf(db, selection.environment);
    const queryHash = crypto.hash("sha1", JSON.stringify([selection, query, hasSegments]), "hex").slice(0, 8);
    return {
      version: 2 as const,
      features: listOf<ClientFeature>(selectedFlags(state, selection).map(toText(state, hasSegments))),
      query: toEcho(actor as SdkActor, selection, query, !hasSegments),
      ...(hasSegments && { segments: listOf<ClientSegment>(selectedSegments(state, selection)) }),
      meta: { revisionId: state.revision, etag: `"${queryHash}:${state.revision}"`, queryHash },
    };
  }),
);

const toText = (state: State, hasSegments: boolean) => (flag: Flag) =>
  hasSegments ? flag.text : inlined(state, flag);

export const readClientFeature = operation({
  id: "getClientFeature",
  summary: "A flag in an application's environment",
  tag: "Client",
  method: "GET",
  path: "/api/client/features/:featureName",
  permission: { isForSdks: true },
  params: v.object({ featureName: v.string() }),
  query: v.pick(ClientQuery, ["environment"]),
  errors: ["NotFoundError"],
  response: ClientFeature,
}).run(({ db, actor, params: { featureName }, query, headers }) => {
  const selection = toSelection(db, actor as SdkActor, { ...query, project: [], tag: [] });
  const state = stateOf(db, selection.environment);
  const hasSegments = supportsSegments(headers.get("unleash-client-spec"));
  const flag = state.flags.get(featureName);
  if (flag && isSelected(flag, selection))
    return new RawJson<ClientFeature>(toText(state, hasSegments)(flag));
  throw new ApiError("NotFoundError", `There is no flag ${featureName}`);
});

const DeltaQuery = v.omit(ClientQuery, ["tag"]);

export const readClientDelta = operation({
  id: "getDelta",
  summary: "Changes to an application's flags since the revision in If-None-Match; without it, all flags",
  tag: "Client",
  method: "GET",
  path: "/api/client/delta",
  permission: { isForSdks: true },
  isUncached: true, // depends on the caller's revision
  query: DeltaQuery,
  response: ClientDelta,
}).run(({ db, actor, query, headers }) =>
  snapshot(db, () => {
    const selection = toSelection(db, actor as SdkActor, { ...query, tag: [] });
    const state = stateOf(db, selection.environment);
    const lastPosition = headers.get("if-none-match")?.replace(/^(?:W\/)?"?(.*?)"?$/, "$1");
    const since = toRevision(state, lastPosition);
    const events = since === undefined ? hydration(state, selection) : delta(state, selection, since);
    const last = events.at(-1);
    return new WithHeaders(
      { events },
      { etag: `"${last ? toPosition(state, Number(last.eventId)) : lastPosition}"` },
    );
  }),
);

export const streamClientFlags = operation({
  id: "getStreamingFeatures",
  summary: "An application's flags and their changes, as server-sent events",
  tag: "Client",
  method: "GET",
  path: "/api/client/streaming",
  permission: { isForSdks: true },
  query: DeltaQuery,
  response: ClientDelta,
}).stream(({ db, actor, query }, position) => {
  const selection = toSelection(db, actor as SdkActor, { ...query, tag: [] });
  const state = stateOf(db, selection.environment);
  const since = toRevision(state, position);
  const events = since === undefined ? hydration(state, selection) : delta(state, selection, since);
  const [id, event] = [
    toPosition(state, state.revision),
    since === undefined ? "unleash-connected" : "unleash-updated",
  ];
  return { messages: events.length > 0 ? [{ id, event, data: { events } }] : [], position: id };
});
