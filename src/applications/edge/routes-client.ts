import type { SdkActor } from "../../access/authenticate-sdk.ts";
import { NoBody, operation } from "../../http/operation.ts";
import { gatherFromEdge } from "./require.ts";
import { EdgeReport, EdgeState } from "./schema.ts";

export const reportUsageInBulk = operation({
  id: "clientBulkMetrics",
  summary: "Report applications and usage gathered by an Edge",
  tag: "Edge",
  method: "POST",
  path: "/api/client/metrics/bulk",
  permission: { isForSdks: true },
  body: EdgeReport,
  status: 202,
  isUncached: true,
  response: NoBody,
}).run(({ db, actor, body, address }) => gatherFromEdge(db, actor as SdkActor, body, address));

export const reportEdge = operation({
  id: "clientEdgeMetrics",
  summary: "Report the state of an Edge; nothing is stored",
  tag: "Edge",
  method: "POST",
  path: "/api/client/metrics/edge",
  permission: { isForSdks: true },
  body: EdgeState,
  status: 202,
  isUncached: true,
  response: NoBody,
}).run(() => undefined);
