import type { IncomingMessage } from "node:http";
import { H3, type H3Event, HTTPError } from "h3";
import type { Actor } from "../auth/actor.ts";
import { answerAvatar } from "../http/avatar.ts";
import { clientAddress } from "../http/client.ts";
import { toApiError } from "../http/error.ts";
import { answerFrontPage } from "../http/front-page.ts";
import { mountHealth } from "../http/health.ts";
import { mount, route } from "../http/mount.ts";
import { toOpenApi } from "../http/openapi.ts";
import { isBelow, normalizePath, requireDecodable } from "../http/path.ts";
import { logError } from "../http/refuse.ts";
import { type Parts, toErrorResponse, toResponse, wholeParts } from "../http/response.ts";
import { unknownPath } from "../http/unknown-path.ts";
import { OPERATIONS, SCHEMAS, SURFACES } from "../surfaces.ts";
import type { ServerOptions } from "./create-server.ts";

declare module "h3" {
  interface H3EventContext {
    /** Who asks; set for every path of a surface before it is routed. */
    actor: Actor;
  }
}

/** The server without a socket: credential first, then path and method, then the operation. */
export function buildApp(options: ServerOptions): H3 {
  const { db, basePath = "", answers, metrics } = options;
  const root = options.publicUrl || basePath;
  const app = new H3({
    allowMalformedURL: true, // answered below, after the credential
    silent: true,
    onRequest(event) {
      normalizePath(basePath, event);
      admit(options, event);
    },
    onError: (thrown, event) => refuse(options, thrown, event),
  });
  mount(app, { db, root, answers }, OPERATIONS);
  route(app, "/avatars/:file", { GET: answerAvatar });
  route(app, "/", { GET: answerFrontPage(root) });
  mountDescription(app, root);
  mountHealth(app, db);
  if (metrics) route(app, "/internal-backstage/prometheus", { GET: metrics.answer });
  app.all("/**", unknownPath());
  return app;
}

function admit({ db }: ServerOptions, event: H3Event) {
  const { pathname } = event.url;
  const surface = SURFACES.find(({ prefix }) => isBelow(prefix, pathname));
  if (surface) event.context.actor = surface.authenticate(db, event.req.headers);
  requireDecodable(pathname);
}

/** h3 wraps what a handler throws. */
function refuse({ log, basePath, trustsProxy = false }: ServerOptions, thrown: unknown, event: H3Event) {
  const error = toApiError(HTTPError.isError(thrown) ? (thrown.cause ?? thrown) : thrown);
  const request = event.runtime?.node?.req as IncomingMessage | undefined;
  const address = request && clientAddress(request, trustsProxy);
  logError(log, error, { method: event.req.method, path: event.url.pathname, address });
  return toErrorResponse(error, basePath);
}

/** `GET /docs/openapi.json`, as the original has it; made when it is asked for, which needs no credential. */
function mountDescription(app: H3, root: string) {
  let parts: Parts | undefined;
  const describe = () => (parts ??= wholeParts(JSON.stringify(toOpenApi(OPERATIONS, SCHEMAS, root))));
  route(app, "/docs/openapi.json", { GET: (event) => toResponse(describe(), event.req) });
}
