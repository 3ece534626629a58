import { operation } from "../../http/operation.ts";
import { TokensToCheck, ValidTokens } from "./schema.ts";
import { validTokens } from "./store.ts";

export const validateTokens = operation({
  id: "getValidTokens",
  summary: "Check which of the given tokens are valid",
  tag: "Edge",
  method: "POST",
  path: "/edge/validate",
  permission: { isForSdks: true },
  body: TokensToCheck,
  isUncached: true,
  response: ValidTokens,
}).run(({ db, body }) => ({ tokens: validTokens(db, body.tokens) }));
