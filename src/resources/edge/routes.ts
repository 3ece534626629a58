import { operation } from "../../http/operation.ts";
import { GoodTokens, TokensToCheck } from "./schema.ts";
import { goodTokens } from "./store.ts";

export const validateTokens = operation({
  id: "getValidTokens",
  summary: "Check which of the given tokens are valid",
  tag: "Edge",
  method: "POST",
  path: "/edge/validate",
  permission: { isForSdks: true },
  body: TokensToCheck,
  isUncached: true,
  response: GoodTokens,
}).run(({ db, body }) => ({ tokens: goodTokens(db, body.tokens) }));
