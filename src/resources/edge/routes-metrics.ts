import type { SdkActor } from "../../auth/authenticate-sdk.ts";
import { NoBody, operation } from "../../http/operation.ts";
import { gatherFromEdge } from "./require.ts";
import { EdgeReport } from "./schema.ts";

export const reportEdgeUsage = operation({
  id: "bulkMetrics",
  summary: "The same as /api/client/metrics/bulk, for older Edges",
  tag: "Edge",
  method: "POST",
  path: "/edge/metrics",
  permission: { isForSdks: true },
  body: EdgeReport,
  status: 202,
  isNotKept: true,
  response: NoBody,
}).run(({ db, actor, body, address }) => gatherFromEdge(db, actor as SdkActor, body, address));
