import type { SdkActor } from "../../access/authenticate-sdk.ts";
import { operation } from "../../http/operation.ts";
import { flagsSince } from "../client/require.ts";
import { Refetch } from "./schema.ts";
import { STREAM } from "./stream-path.ts";

export const streamRefetches = operation({
  id: "streamRefetches",
  summary: "Notify OpenFeature clients when to request flags again, as server-sent events",
  tag: "OFREP",
  method: "GET",
  path: STREAM,
  permission: { isForSdks: true },
  response: Refetch,
}).stream(({ db, actor }, since) => {
  const { position, isChanged } = flagsSince(db, actor as SdkActor, since);
  const messages = isChanged ? [{ id: position, data: { type: "refetchEvaluation" as const } }] : [];
  return { messages, position };
});
