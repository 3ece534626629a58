import * as v from "valibot";
import type { SdkActor } from "../access/authenticate.ts";
import { hashSecret, isExpired } from "../access/token.ts";
import { type Database, perDatabase } from "../db/database.ts";
import { query } from "../db/statement.ts";
import { POST } from "../http/operation.ts";
import { Registration } from "./applications-schema.ts";
import { environmentOf, gather, toRegistered, toUses } from "./reports.ts";
import { AppName, SdkText, UsageRow } from "./usage-schema.ts";

/** Registrations and usage that an Edge reports on behalf of applications. */
export const EdgeReport = v.object({
  applications: v.array(v.object({ ...Registration.entries, instanceId: SdkText, environment: SdkText })),
  metrics: v.array(UsageRow),
});

/** An Edge's report about itself. Only `appName` is checked; nothing is stored. */
export const EdgeState = v.object({ appName: AppName });

const MAX_TOKENS = 1000;

export const TokensToCheck = v.object({
  tokens: v.pipe(v.array(v.string()), v.maxLength(MAX_TOKENS, `must have ${MAX_TOKENS} tokens or fewer`)),
});

export const ValidTokens = v.strictObject({
  tokens: v.array(
    v.strictObject({
      token: v.string(),
      type: v.picklist(["client", "frontend", "admin", "backend"]),
      projects: v.array(v.string()),
      environment: v.string(),
    }),
  ),
});
type ValidTokens = v.InferOutput<typeof ValidTokens>;

/** Environments other than the token's are ignored (original). */
export const reportUsageInBulk = POST({
  id: "clientBulkMetrics",
  summary: "Report applications and usage gathered by an Edge",
  tag: "Edge",
  path: "/api/client/metrics/bulk",
  permission: { isForSdks: true },
  body: EdgeReport,
  status: 202,
  isUncached: true,
  example: { applications: [], metrics: [] },
}).run(({ db, actor, body: { applications, metrics }, address }) => {
  const sdk = actor as SdkActor;
  const own = applications.filter(({ environment }) => environment === environmentOf(sdk));
  gather(db, [
    ...own.flatMap((application) => toRegistered(sdk, application, address)),
    ...toUses(db, sdk, metrics),
  ]);
});

export const reportEdgeUsage = {
  ...reportUsageInBulk,
  id: "bulkMetrics",
  summary: "The same as /api/client/metrics/bulk, for older Edges",
  path: "/edge/metrics",
  example: { applications: [], metrics: [] },
} as const;

export const reportEdge = POST({
  id: "clientEdgeMetrics",
  summary: "Report the state of an Edge; nothing is stored",
  tag: "Edge",
  path: "/api/client/metrics/edge",
  permission: { isForSdks: true },
  body: EdgeState,
  status: 202,
  isUncached: true,
  example: { appName: "edge" },
}).run(() => undefined);

export const validateTokens = POST({
  id: "getValidTokens",
  summary: "Check which of the given tokens are valid",
  tag: "Edge",
  path: "/edge/validate",
  permission: { isForSdks: true },
  body: TokensToCheck,
  isUncached: true,
  response: ValidTokens,
  example: { tokens: ["shop:development.some-secret"] },
}).run(async ({ db, body }) => {
  await learnerOf(db).learn?.(body.tokens);
  return { tokens: validTokens(db, body.tokens) };
});

const learnerOf = perDatabase((): { learn?: (secrets: readonly string[]) => Promise<unknown> } => ({}));

/** Asks about tokens first, where another server knows them. */
export const learnTokens = (db: Database, learn: (secrets: readonly string[]) => Promise<unknown>) =>
  void Object.assign(learnerOf(db), { learn });

type ValidToken = ValidTokens["tokens"][number];

interface Row {
  type: ValidToken["type"];
  projects: string;
  environment: string;
  expiresAt: string | null;
}

const tokenByHash = query<{ hash: string }, Row>(`
  SELECT type, projects, ifnull(environment, '*') AS environment, expires_at AS expiresAt FROM tokens WHERE hash = :hash AND type <> 'user'`);

/** The valid application tokens among these secrets, without duplicates. */
const validTokens = (db: Database, secrets: readonly string[]): ValidToken[] =>
  [...new Set(secrets)].flatMap((token) => {
    const row = tokenByHash(db).get({ hash: hashSecret(token) });
    if (!row || isExpired(row.expiresAt)) return [];
    const { expiresAt: _, ...valid } = row;
    return [{ token, ...valid, projects: JSON.parse(row.projects) }];
  });
