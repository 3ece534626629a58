import type { IncomingMessage } from "node:http";
import { H3, type H3Event, HTTPError } from "h3";
import { toNodeHandler } from "h3/node";
import type { Actor } from "./auth/actor.ts";
import { authenticate } from "./auth/authenticate.ts";
import type { Database } from "./db/statement.ts";
import { withAccessLog } from "./http/access-log.ts";
import type { Answers } from "./http/answers.ts";
import { answerAvatar } from "./http/avatar.ts";
import { clientAddress } from "./http/client.ts";
import { ApiError, invalid, toApiError } from "./http/error.ts";
import { answerFrontPage } from "./http/front-page.ts";
import { mountHealth } from "./http/health.ts";
import { guarded, type Listener } from "./http/listener.ts";
import type { Metrics } from "./http/metrics.ts";
import { mount, route } from "./http/mount.ts";
import { toOpenApi } from "./http/openapi.ts";
import type { Operation } from "./http/operation.ts";
import { logError } from "./http/refuse.ts";
import { type Parts, toErrorResponse, toResponse, wholeParts } from "./http/response.ts";
import { unknownPath } from "./http/unknown-path.ts";
import type { Log } from "./log.ts";
import * as dashboard from "./resources/dashboard/routes.ts";
import * as dashboardSchema from "./resources/dashboard/schema.ts";
import * as events from "./resources/events/routes.ts";
import * as eventsSchema from "./resources/events/schema.ts";
import * as features from "./resources/features/routes.ts";
import * as featuresSchema from "./resources/features/schema.ts";
import * as integrations from "./resources/integrations/routes.ts";
import * as integrationsSchema from "./resources/integrations/schema.ts";
import * as notifications from "./resources/notifications/routes.ts";
import * as notificationsSchema from "./resources/notifications/schema.ts";
import * as users from "./resources/users/routes.ts";
import * as usersSchema from "./resources/users/schema.ts";
import type { Schema } from "./validation.ts";

declare module "h3" {
  interface H3EventContext {
    /** Who asks; set for every path under `/api/admin` before it is routed. */
    actor: Actor;
  }
}

/** Every operation that is served: whatever a resource's `routes.ts` exports. */
export const OPERATIONS: Operation[] = [
  integrations,
  features,
  events,
  users,
  notifications,
  dashboard,
].flatMap((routes) => Object.values<Operation>({ ...routes }));

/** What operations share: whatever a resource's `schema.ts` exports by a name that begins so. */
const SCHEMAS = Object.fromEntries(
  [
    dashboardSchema,
    eventsSchema,
    featuresSchema,
    integrationsSchema,
    notificationsSchema,
    usersSchema,
  ].flatMap((exported) => Object.entries(exported).filter(([, value]) => "kind" in Object(value))),
) as Record<string, Schema>;

interface Site {
  db: Database;
  log: Log;
  /** What every path begins with, such as `/flags`. */
  basePath?: string;
  /** Where clients find it, the base path included, such as `https://flags.example.com`; what answers name is relative without. */
  publicUrl?: string;
  /** Where answers to reads are kept; every request is answered anew without. */
  answers?: Answers;
  /** Told at its own path where it is given. */
  metrics?: Metrics | undefined;
  /** A proxy stands before this server and says who asks. */
  trustsProxy?: boolean;
}

/** The server without a socket: credential first, then path and method, then the operation. */
export function buildApp(site: Site): H3 {
  const { db, log, basePath = "", trustsProxy = false, answers, metrics } = site;
  const root = site.publicUrl || basePath;
  const app = new H3({
    allowMalformedURL: true, // answered below, after the credential
    silent: true,
    onRequest(event) {
      normalizePath(basePath, event);
      admit(db, event);
    },
    onError(thrown, event) {
      const error = toApiError(HTTPError.isError(thrown) ? (thrown.cause ?? thrown) : thrown);
      const request = event.runtime?.node?.req as IncomingMessage | undefined;
      const address = request && clientAddress(request, trustsProxy);
      logError(log, error, { method: event.req.method, path: event.url.pathname, address });
      return toErrorResponse(error, basePath);
    },
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

/** `GET /docs/openapi.json`, as the original has it; made when it is asked for, which needs no credential. */
function mountDescription(app: H3, root: string) {
  let parts: Parts | undefined;
  const describe = () => (parts ??= wholeParts(JSON.stringify(toOpenApi(OPERATIONS, SCHEMAS, root))));
  route(app, "/docs/openapi.json", { GET: (event) => toResponse(describe(), event.req) });
}

interface Front {
  log: Log;
  answers?: Answers | undefined;
  metrics?: Metrics | undefined;
  trustsProxy?: boolean;
  /** A line for each request. */
  logsAccess?: boolean;
}

/** The app behind a socket: what is kept is answered before it is asked. */
export function toListener(
  app: H3,
  { log, answers, metrics, trustsProxy = false, logsAccess }: Front,
): Listener {
  const handle = toNodeHandler(app) as Listener;
  const listener = guarded(log, answers?.first(handle) ?? handle);
  const measured = metrics?.measured(listener) ?? listener;
  return logsAccess ? withAccessLog(log, trustsProxy, measured) : measured;
}

/** Repeated slashes are one, and the base path is off, so that nothing behind knows of it. */
function normalizePath(basePath: string, { url }: H3Event) {
  const pathname = url.pathname.includes("//") ? url.pathname.replaceAll(/\/{2,}/g, "/") : url.pathname;
  if (basePath !== "" && pathname !== basePath && !pathname.startsWith(`${basePath}/`)) {
    throw new ApiError("NotFoundError", `There is nothing at ${pathname}`);
  }
  const path = pathname.slice(basePath.length) || "/";
  if (path !== url.pathname) url.pathname = path;
}

function admit(db: Database, event: H3Event) {
  const { pathname } = event.url;
  if (/^\/api\/admin(\/|$)/.test(withoutNeedlessEscapes(pathname))) {
    event.context.actor = authenticate(db, event.req.headers.get("authorization"));
  }
  if (pathname.includes("%")) requireDecodable(pathname);
}

/** No spelling of the prefix gets past the credential, not even in a path that is broken further on. */
const withoutNeedlessEscapes = (pathname: string) =>
  pathname.replaceAll(/%[2-7][0-9a-f]/gi, decodeURIComponent);

function requireDecodable(pathname: string) {
  let decoded: string;
  try {
    decoded = decodeURIComponent(pathname);
  } catch {
    throw invalid({ path: "path", message: "has a percent sign that begins no valid sequence" });
  }
  if (decoded.includes("\0")) throw invalid({ path: "path", message: "must not hold the character NUL" });
}
