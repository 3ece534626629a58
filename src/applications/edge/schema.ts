import * as v from "valibot";
import { Registration } from "../schema.ts";
import { AppName, SdkText, UsageRow } from "../usage/schema.ts";

/** Registrations and usage that an Edge reports on behalf of applications. */
export const EdgeReport = v.object({
  applications: v.array(v.object({ ...Registration.entries, instanceId: SdkText, environment: SdkText })),
  metrics: v.array(UsageRow),
});
export type EdgeReport = v.InferOutput<typeof EdgeReport>;

/** An Edge's report about itself. Only `appName` is checked; nothing is stored. */
export const EdgeState = v.object({ appName: AppName });

/** The most tokens per request. */
const MAX_TOKENS = 1000;

export const TokensToCheck = v.object({
  tokens: v.pipe(v.array(v.string()), v.maxLength(MAX_TOKENS, `must have ${MAX_TOKENS} tokens or fewer`)),
});

/** Those of the tokens that are valid. */
export const ValidTokens = v.strictObject({
  tokens: v.array(
    v.strictObject({
      token: v.string(),
      type: v.picklist(["client", "frontend", "admin"]),
      projects: v.array(v.string()),
    }),
  ),
});
export type ValidTokens = v.InferOutput<typeof ValidTokens>;
