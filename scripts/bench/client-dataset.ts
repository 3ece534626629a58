import http from "node:http";
import { tokenLine } from "./dataset.ts";
import type { Request } from "./load.ts";

/*
 * Flags in a single environment, each with a gradual rollout in a few countries; a thousand of them make a 0.4 MB
 * response.
 */

const ENVIRONMENT = "production";
const PROJECT = "shop";

export const SERVICE = `*:*.${"0".repeat(56)}`;
export const CLIENT = `*:${ENVIRONMENT}.${"c".repeat(56)}`;
export const FRONTEND = `*:${ENVIRONMENT}.${"f".repeat(56)}`;

export const flagName = (index: number) => `team-${index % 40}-flag-${index}`;

/** Switches the flags off and on again, one after the other. */
export const toggle = (turn: number, flags: number): Request => ({
  name: "toggle",
  method: "POST",
  token: SERVICE,
  path: `/api/admin/projects/${PROJECT}/features/${flagName((turn >> 1) % flags)}/environments/${ENVIRONMENT}/${turn % 2 ? "on" : "off"}`,
});

export function* clientLines(flags: number): Generator<object> {
  const createdAt = "2026-01-01T00:00:00Z";
  yield { kind: "dataset", version: 1 };
  yield { kind: "environment", name: ENVIRONMENT, type: ENVIRONMENT, sortOrder: 1 };
  yield { kind: "project", id: PROJECT, name: PROJECT, createdAt, environments: [ENVIRONMENT] };
  yield tokenLine("admin", SERVICE, { environment: "*" });
  yield tokenLine("client", CLIENT, { environment: ENVIRONMENT });
  yield tokenLine("frontend", FRONTEND, { environment: ENVIRONMENT });
  for (let index = 0; index < flags; index++) {
    const state = { name: ENVIRONMENT, enabled: index % 4 !== 3, strategies: [strategyOf(index)] };
    const feature = { name: flagName(index), project: PROJECT, createdAt, createdByUserId: 1 };
    yield { kind: "feature", ...feature, environments: [state] };
  }
}

const strategyOf = (index: number) => ({
  name: "flexibleRollout",
  parameters: { rollout: String(index % 101), stickiness: "default", groupId: flagName(index) },
  constraints: [{ contextName: "country", operator: "IN", values: ["DE", "FR", "JP"] }],
});

interface Polled {
  status: number;
  etag: string | undefined;
}

/** Polls as the Node SDK does. @throws Error unless the status is 200 or 304 */
export function fetchFlags(url: string, agent: http.Agent, etag: string | undefined): Promise<Polled> {
  const headers = {
    authorization: CLIENT,
    "unleash-client-spec": "5.2.0",
    "accept-encoding": "gzip",
    ...(etag !== undefined && { "if-none-match": etag }),
  };
  return new Promise((resolve, reject) => {
    const request = http.get(`${url}/api/client/features`, { agent, headers }, (response) => {
      const { statusCode: status = 0, headers } = response;
      if (status !== 200 && status !== 304) reject(new Error(`A poll returned ${status}`));
      response.resume().on("end", () => resolve({ status, etag: headers.etag }));
    });
    request.on("error", (error: NodeJS.ErrnoException) => {
      const isStale = request.reusedSocket && error.code === "ECONNRESET"; // it was idle for too long
      if (isStale) resolve(fetchFlags(url, agent, etag));
      else reject(error);
    });
  });
}
