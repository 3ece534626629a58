import type { SdkActor } from "../../access/authenticate-sdk.ts";
import { NoBody, operation } from "../../http/operation.ts";
import { gather } from "./gathered.ts";
import { toReports } from "./require.ts";
import { UsageReport } from "./schema.ts";

export const reportUsage = operation({
  id: "registerClientMetrics",
  summary: "Report how often an application's flags were on and off",
  tag: "Client",
  method: "POST",
  path: "/api/client/metrics",
  permission: { isForSdks: true },
  body: UsageReport,
  status: 202,
  isUncached: true,
  response: NoBody,
}).run(({ db, actor, body, address }) => gather(db, toReports(db, actor as SdkActor, body, address)));
