import { operation } from "../../http/operation.ts";
import { SignInHistory } from "./schema.ts";
import { signIns } from "./store.ts";

export const listSignIns = operation({
  id: "getLoginHistory",
  summary: "The attempts to sign in within 90 days, newest first, also as CSV",
  tag: "Sessions",
  method: "GET",
  path: "/api/admin/logins",
  permission: "ADMIN",
  response: SignInHistory,
  rows: ({ events }: { events: readonly object[] }) => events,
}).run(({ db }) => ({ events: signIns(db) }));
