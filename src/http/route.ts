import { type EventHandler, type H3, type H3Event, HTTPResponse } from "h3";
import { ApiError } from "../lib/api-error.ts";
import { preflightResponse } from "./cors.ts";
import { type Contract, METHODS } from "./operation.ts";

/** Routes a path: HEAD goes with GET, OPTIONS lists the methods, and any other is 405. */
export function route(app: H3, path: string, handlers: Partial<Record<Contract["method"], EventHandler>>) {
  const allow = METHODS.filter((method) => handlers[method])
    .flatMap((method) => (method === "GET" ? [method, "HEAD"] : [method]))
    .join(", ");
  app.all(path, (event) => {
    const { method } = event.req;
    const handler = handlers[(method === "HEAD" ? "GET" : method) as Contract["method"]];
    if (handler) return handler(event);
    if (method === "OPTIONS") return answerOptions(event, allow);
    const message = `${method} is not supported here, only ${allow}`;
    throw new ApiError("MethodNotAllowedError", message, { headers: { allow } });
  });
}

const answerOptions = (event: H3Event, allow: string) =>
  event.context.cors
    ? preflightResponse(event)
    : new HTTPResponse("", { statusText: "OK", headers: { allow, "content-length": "0" } });
