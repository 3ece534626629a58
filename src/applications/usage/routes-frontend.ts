import type { SdkActor } from "../../access/authenticate-sdk.ts";
import { operation, PlainText } from "../../http/operation.ts";
import { gather } from "./gathered.ts";
import { toReports } from "./require.ts";
import { UsageReport } from "./schema.ts";

export const reportFrontendUsage = operation({
  id: "registerFrontendMetrics",
  summary: "Report how often a page's flags were on and off",
  tag: "Frontend",
  method: "POST",
  path: "/api/frontend/client/metrics",
  permission: { isForSdks: true },
  body: UsageReport,
  isUncached: true,
  response: PlainText,
}).run(({ db, actor, body, address }) => {
  gather(db, toReports(db, actor as SdkActor, body, address));
  return "OK";
});
