import { operation, PlainText } from "../http/operation.ts";
import { Registration } from "./schema.ts";

export const registerFrontend = operation({
  id: "registerFrontendClient",
  summary: "Register a page that has started; nothing is stored",
  tag: "Frontend",
  method: "POST",
  path: "/api/frontend/client/register",
  permission: { isForSdks: true },
  body: Registration,
  isUncached: true,
  response: PlainText,
}).run(() => "OK");
