import { reportUsageInBulk } from "./routes-client.ts";

export const reportEdgeUsage = {
  ...reportUsageInBulk,
  id: "bulkMetrics",
  summary: "The same as /api/client/metrics/bulk, for older Edges",
  path: "/edge/metrics",
} as const;
