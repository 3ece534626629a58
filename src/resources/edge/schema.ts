import * as v from "valibot";
import { Registration } from "../applications/schema.ts";
import { AppName, SdkText, UsageRow } from "../usage/schema.ts";

/** What an Edge has gathered for others. */
export const EdgeReport = v.object({
  applications: v.array(v.object({ ...Registration.entries, instanceId: SdkText, environment: SdkText })),
  metrics: v.array(UsageRow),
});
export type EdgeReport = v.InferOutput<typeof EdgeReport>;

/** What an Edge tells of itself: only that it is one is looked at. */
export const EdgeSelf = v.object({ appName: AppName });

/** As many tokens are looked up at once. */
const MOST_TOKENS = 1000;

export const TokensToCheck = v.object({
  tokens: v.pipe(v.array(v.string()), v.maxLength(MOST_TOKENS, `must have ${MOST_TOKENS} tokens or less`)),
});

/** Those of the tokens that are good. */
export const GoodTokens = v.strictObject({
  tokens: v.array(
    v.strictObject({
      token: v.string(),
      type: v.picklist(["client", "frontend", "admin"]),
      projects: v.array(v.string()),
    }),
  ),
});
export type GoodTokens = v.InferOutput<typeof GoodTokens>;
