import { type EventHandler, type H3, HTTPResponse } from "h3";
import { isPreflight, preflightResponse } from "./cors.ts";
import { ApiError } from "./error.ts";
import { type Contract, METHODS } from "./operation.ts";

/** Routes a path: HEAD goes with GET, OPTIONS lists the methods, and any other is 405. */
export function route(app: H3, path: string, handlers: Partial<Record<Contract["method"], EventHandler>>) {
  const allow = METHODS.filter((method) => handlers[method]).flatMap((method) =>
    method === "GET" ? [method, "HEAD"] : [method],
  );
  for (const method of allow)
    app.on(method as "GET", path, handlers[method === "HEAD" ? "GET" : (method as "GET")]!);
  const headers = { allow: allow.join(", ") };
  app.options(path, (event) =>
    event.context.cors && isPreflight(event)
      ? preflightResponse(event)
      : new HTTPResponse("", { statusText: "OK", headers: { ...headers, "content-length": "0" } }),
  );
  app.all(path, (event) => {
    const message = `${event.req.method} is not supported here, only ${headers.allow}`;
    throw new ApiError("MethodNotAllowedError", message, { headers });
  });
}
