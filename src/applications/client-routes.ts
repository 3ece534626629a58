import crypto from "node:crypto";
import * as v from "valibot";
import type { SdkActor } from "../access/authenticate.ts";
import { ClientFeature, type ClientSegment } from "../evaluation/client-feature.ts";
import { GET, WithHeaders } from "../http/operation.ts";
import { found, invalid } from "../lib/api-error.ts";
import { RawJson } from "../lib/raw-json.ts";
import { delta, listOf, toPosition, toRevision } from "./client-delta.ts";
import { ClientDelta, ClientFeatures, ClientQuery } from "./client-schema.ts";
import {
  effectiveQuery,
  isSelected,
  privateSegments,
  selectedFlags,
  selectedSegments,
  toSelection,
} from "./client-selection.ts";
import { type State, stateOf } from "./client-state.ts";
import type { Flag } from "./client-store.ts";

export const listClientFeatures = GET({
  id: "getAllClientFeatures",
  summary: "The flags in an application's environment",
  tag: "Client",
  path: "/api/client/features",
  permission: { isForSdks: true },
  query: ClientQuery,
  response: ClientFeatures,
}).run(({ db, actor, query, headers }) => {
  const selection = toSelection(db, actor as SdkActor, query);
  const hasSegments = supportsSegments(headers.get("unleash-client-spec"));
  const state = stateOf(db, selection.environment);
  const privateOnes = hasSegments ? privateSegments(state, selection) : undefined;
  const queryHash = crypto.hash("sha1", JSON.stringify([selection, query, hasSegments]), "hex").slice(0, 8);
  return {
    version: 2 as const,
    features: listOf<ClientFeature>(selectedFlags(state, selection).map(toText(state, hasSegments))),
    query: effectiveQuery(actor as SdkActor, selection, query, !hasSegments),
    ...(hasSegments && { segments: listOf<ClientSegment>(selectedSegments(state, selection)) }),
    meta: {
      revisionId: state.revision,
      etag: `"${queryHash}:${state.revision}"`,
      queryHash,
      ...(privateOnes && { privateSegments: privateOnes }),
    },
  };
});

const toText = (state: State, hasSegments: boolean) => (flag: Flag) =>
  hasSegments ? flag.text : inlined(state, flag);

export const readClientFeature = GET({
  id: "getClientFeature",
  summary: "A flag in an application's environment",
  tag: "Client",
  path: "/api/client/features/:featureName",
  permission: { isForSdks: true },
  query: v.pick(ClientQuery, ["environment"]),
  errors: ["NotFoundError"],
  response: ClientFeature,
}).run(({ db, actor, params: { featureName }, query, headers }) => {
  const selection = toSelection(db, actor as SdkActor, query);
  const state = stateOf(db, selection.environment);
  const hasSegments = supportsSegments(headers.get("unleash-client-spec"));
  const flag = state.flags.get(featureName);
  const own = found(flag && isSelected(flag, selection) ? flag : undefined, `flag ${featureName}`);
  return new RawJson<ClientFeature>(toText(state, hasSegments)(own));
});

const DeltaQuery = v.omit(ClientQuery, ["tag"]);

export const readClientDelta = GET({
  id: "getDelta",
  summary: "Changes to an application's flags since the revision in If-None-Match; without it, all flags",
  tag: "Client",
  path: "/api/client/delta",
  permission: { isForSdks: true },
  isUncached: true, // depends on the caller's revision
  query: DeltaQuery,
  response: ClientDelta,
}).run(({ db, actor, query, headers }) => {
  const selection = toSelection(db, actor as SdkActor, query);
  const state = stateOf(db, selection.environment);
  const lastPosition = headers.get("if-none-match")?.replace(/^(?:W\/)?"?(.*?)"?$/, "$1");
  const since = toRevision(state, lastPosition);
  const events = delta(state, selection, since);
  const last = events.at(-1);
  return new WithHeaders(
    { events },
    { etag: `"${last ? toPosition(state, Number(last.eventId)) : lastPosition}"` },
  );
});

export const streamClientFlags = GET({
  id: "getStreamingFeatures",
  summary: "An application's flags and their changes, as server-sent events",
  tag: "Client",
  path: "/api/client/streaming",
  permission: { isForSdks: true },
  query: DeltaQuery,
  response: ClientDelta,
}).stream(({ db, actor, query }, position) => {
  const selection = toSelection(db, actor as SdkActor, query);
  const state = stateOf(db, selection.environment);
  const since = toRevision(state, position);
  const events = delta(state, selection, since);
  const [id, event] = [
    toPosition(state, state.revision),
    since === undefined ? "unleash-connected" : "unleash-updated",
  ];
  return { messages: events.length > 0 ? [{ id, event, data: { events } }] : [], position: id };
});

/** A flag as JSON for SDKs that don't support segments: their constraints are appended to the strategies' own. */
function inlined({ segments }: Pick<State, "segments">, { text }: Flag): string {
  if (!text.includes('"segments":[')) return text;
  const { strategies, ...feature } = JSON.parse(text) as ClientFeature;
  const constraintsOf = (id: number) =>
    (JSON.parse(segments.get(id)?.text ?? '{"constraints":[]}') as ClientSegment).constraints;
  const inline = ({ segments: ids = [], constraints, ...rest }: ClientFeature["strategies"][number]) => ({
    ...rest,
    constraints: [...constraints, ...ids.flatMap(constraintsOf)],
  });
  return JSON.stringify({ ...feature, strategies: strategies.map(inline) });
}

const SEMVER = /^(\d+)\.(\d+)\.\d+(-[\w.-]+)?(\+[\w.-]+)?$/;

/**
 * Whether an SDK supports segments, by the version of the client specification it follows: 4.2.0 or later.
 * @throws ApiError `ValidationError` for an invalid version
 */
function supportsSegments(version: string | null): boolean {
  if (!version) return false;
  const [, major = "", minor = "", prerelease] = SEMVER.exec(version) ?? [];
  if (major === "")
    throw invalid({ path: "header.unleash-client-spec", message: "must be a version such as 5.2.0" });
  const isOld = Number(major) < 4 || (Number(major) === 4 && Number(minor) < 2);
  return !isOld && !(version.startsWith("4.2.0") && prerelease !== undefined);
}
