import { operation, PlainText } from "../../http/operation.ts";
import { Registration } from "./schema.ts";

export const registerFrontend = operation({
  id: "registerFrontendClient",
  summary: "A page has started; nothing is kept of it",
  tag: "Frontend",
  method: "POST",
  path: "/api/frontend/client/register",
  permission: { isForSdks: true },
  body: Registration,
  isNotKept: true,
  response: PlainText,
}).run(() => "OK");
