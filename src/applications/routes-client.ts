import type { SdkActor } from "../access/authenticate-sdk.ts";
import { NoBody, operation, WithHeaders } from "../http/operation.ts";
import { ORIGINAL } from "../lib/version.ts";
import { toRegistered } from "./require.ts";
import { Registration } from "./schema.ts";
import { gather } from "./usage/require.ts";

export const registerClient = operation({
  id: "registerClientApplication",
  summary: "Register an application that has started",
  tag: "Client",
  method: "POST",
  path: "/api/client/register",
  permission: { isForSdks: true },
  body: Registration,
  status: 202,
  isUncached: true,
  errors: ["ServiceUnavailableError"],
  response: NoBody,
}).run(({ db, actor, body, address }) => {
  gather(db, toRegistered(actor as SdkActor, body, address));
  return new WithHeaders(undefined, { "x-unleash-version": ORIGINAL });
});
