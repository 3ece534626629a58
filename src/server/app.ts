import type { IncomingMessage } from "node:http";
import { H3, type H3Event, HTTPError } from "h3";
import { toNodeHandler } from "h3/node";
import * as v from "valibot";
import { noteSeen } from "../access/seen.ts";
import { watchReads } from "../db/statement.ts";
import { writeSoon } from "../events/write.ts";
import { fromConstraint, toApiError } from "../http/failure.ts";
import { createFewAtOnce } from "../http/few-at-once.ts";
import { guarded, type Listener, logError, SINGLE, withAccessLog } from "../http/listener.ts";
import { mount, route, toRoutes } from "../http/mount.ts";
import { avatarResponse, frontPage, mountHealth } from "../http/open-paths.ts";
import { clientAddress, corsHeaders, isSecure, requireSameOrigin } from "../http/origin.ts";
import { isPageRequest, mountPage } from "../http/page.ts";
import { Past } from "../http/past.ts";
import { isBelow, normalizePath, requireDecodable, unknownPath } from "../http/path.ts";
import { type Parts, toErrorResponse, toResponse, wholeParts } from "../http/response.ts";
import { ResponseCache } from "../http/response-cache.ts";
import { createStreams, type Streams } from "../http/streams.ts";
import { requireValid } from "../lib/api-error.ts";
import { requireNoMaintenance } from "../settings/instance.ts";
import { currentSetting, ORIGINS, PASSWORDS } from "../settings/settings.ts";
import {
  answerSignInLink,
  answerSignOut,
  answerSignOutPage,
  credentialsIn,
} from "../sign-in/links-and-sign-out.ts";
import { oidcHandlers, oidcOption } from "../sign-in/oidc.ts";
import { currentProvider } from "../sign-in/oidc-provider.ts";
import { giveWays } from "../sign-in/oidc-schema.ts";
import { toldBy } from "../sign-in/proxy-headers.ts";
import { withProxySignIn } from "../sign-in/proxy-sign-in.ts";
import { inboxHandlers } from "./inbox.ts";
import { OPENAPI_VERSIONS, toOpenApi } from "./openapi.ts";
import type { ServerOptions } from "./options.ts";
import { OPEN_OPERATIONS, OPERATIONS, SCHEMAS, SURFACES, type Surface } from "./surfaces.ts";

/**
 * The one place where a server is assembled: the app, for requests without a socket, and the listener in front of it,
 * which answers from the cache before the app is called.
 */
export function createServer(options: ServerOptions): { app: H3; listener: Listener; streams: Streams } {
  const { db, log, metrics, authProxy, trustsProxy = false, logsAccess } = options;
  const { cache = new ResponseCache(db, (request) => toldBy(authProxy, request)?.user) } = options;
  giveWays(db, { ...options, hasProxy: authProxy !== undefined });
  const streams = createStreams(db, log);
  const app = buildApp({ ...options, cache, streams });
  const cached = cache.before(toNodeHandler(app) as Listener);
  const single = new Set([
    ...SINGLE,
    ...Object.values(authProxy?.headers ?? {}).filter((name) => name !== undefined),
  ]);
  const answering = withProxySignIn(options, cached);
  const guard = guarded(log, options.ahead?.(answering) ?? answering, single);
  const measured = metrics?.measured(guard) ?? guard;
  return { app, listener: logsAccess ? withAccessLog(log, trustsProxy, measured) : measured, streams };
}

const ROUTES = toRoutes(OPERATIONS);

/** The server without a socket: checks the credential, then path and method, then runs the operation. */
function buildApp(options: ServerOptions & { streams: Streams }): H3 {
  const { db, basePath = "", cache, metrics, streams } = options;
  const root = options.publicUrl || basePath;
  const app = new H3({
    allowMalformedURL: true, // answered below, once the credential is checked
    silent: true,
    onRequest(event) {
      normalizePath(basePath, event);
      admit(options, event);
    },
    onError: (thrown, event) => refuse(options, thrown, event),
  });
  const site = {
    db,
    root,
    cache,
    streams,
    operations: OPERATIONS,
    past: new Past(db, options.at),
    write: writeSoon,
    requireWritable: requireNoMaintenance,
    fewAtOnce: createFewAtOnce(),
  };
  mount(app, site, ROUTES);
  route(app, "/avatars/:file", { GET: avatarResponse });
  route(app, "/auth/link/:secret", { GET: answerSignInLink(options) });
  for (const [path, GET] of Object.entries(oidcHandlers(options))) route(app, path, { GET });
  route(app, "/logout", { GET: answerSignOutPage(root), POST: answerSignOut(options) });
  mountDescription(app, root);
  mountHealth(app, db);
  if (options.inbox) route(app, "/inbox/:name", inboxHandlers(options));
  if (metrics) route(app, "/internal-backstage/prometheus", { GET: metrics.answer });
  mountPages(app, options, root);
  return app;
}

/** Serves the page at all other paths; without a page, just a short text at `/`. */
function mountPages(app: H3, { ui, introduction }: ServerOptions, root: string) {
  const refuseUnknown = unknownPath();
  if (ui === undefined) {
    route(app, "/", { GET: frontPage(root, introduction) });
    app.all("/**", refuseUnknown);
    return;
  }
  const answerPage = mountPage(app, ui, URL.parse(root)?.pathname.replace(/\/$/, "") ?? root);
  route(app, "/", { GET: answerPage });
  app.all("/**", (event) => (isView(event) ? answerPage(event) : refuseUnknown(event)));
}

/** Opened in a browser, and not an API path. */
const isView = (event: H3Event) =>
  isPageRequest(event) &&
  !["/api", "/auth", "/ofrep", "/assets"].some((prefix) => isBelow(prefix, event.url.pathname));

function admit(options: ServerOptions, event: H3Event) {
  const { pathname } = event.url;
  const surface = SURFACES.find(({ prefix }) => isBelow(prefix, pathname));
  if (surface) identify(options, surface, event);
  requireDecodable(pathname);
}

/** Identifies the caller and the address. @throws ApiError if the surface does not accept the credential */
function identify(options: ServerOptions, surface: Surface, event: H3Event) {
  const { db, trustsProxy = false } = options;
  const { req, context } = event;
  if (surface.isForPages) {
    context.cors = corsHeaders(req, currentSetting(db, ORIGINS).frontendApiOrigins);
    if (req.method === "OPTIONS") return;
  }
  const key = surface.takesKey ? event.url.searchParams.get("key") : null;
  const credentials = { ...credentialsIn(event, options.authProxy), key };
  const authenticate = () => surface.authenticate(db, credentials);
  const { result: actor, readings } = watchReads(authenticate);
  const address = addressOf(event, trustsProxy);
  Object.assign(context, { actor, readings, authenticate, address, isSecure: isSecure(req, options) });
  if (options.at === undefined) noteSeen(db, actor);
  if (actor.session !== null) requireSameOrigin(req, options);
}

/** Unwraps what a handler threw, which h3 has wrapped. */
function refuse(options: ServerOptions, thrown: unknown, event: H3Event) {
  const { log, basePath, trustsProxy = false } = options;
  const cause = HTTPError.isError(thrown) ? (thrown.cause ?? thrown) : thrown;
  const error = fromConstraint(cause) ?? toApiError(cause);
  const address = addressOf(event, trustsProxy);
  logError(log, error, { method: event.req.method, path: event.url.pathname, address });
  const body = error.toBody(basePath, error.status === 401 ? waysIn(options) : {});
  return toErrorResponse(error, body, event.context.cors);
}

/** The ways to sign in, besides passwords, and whether those are switched off. */
const waysIn = ({ db, basePath = "" }: ServerOptions) => ({
  defaultHidden: currentSetting(db, PASSWORDS).disabled,
  ...(currentProvider(db) && { options: [oidcOption(basePath)] }),
});

function addressOf(event: H3Event, trustsProxy: boolean) {
  const request = event.runtime?.node?.req as IncomingMessage | undefined;
  return request && clientAddress(request, trustsProxy);
}

/** `GET /docs/openapi.json`, as in the original; generated on request, without a credential. */
function mountDescription(app: H3, root: string) {
  const generated = new Map<string, Promise<Parts>>();
  const options = { schemas: SCHEMAS, root, open: OPEN_OPERATIONS };
  const describe = async (version: v.InferOutput<typeof OpenApiVersion>) =>
    wholeParts(JSON.stringify(await toOpenApi(OPERATIONS, { ...options, version })));
  const GET = async ({ url, req }: H3Event) => {
    const asked = url.searchParams.get("version") ?? undefined;
    const version = requireValid(OpenApiVersion, asked, "query.version");
    if (!generated.has(version)) generated.set(version, describe(version));
    return toResponse(await generated.get(version)!, req);
  };
  route(app, "/docs/openapi.json", { GET });
}

const OpenApiVersion = v.optional(v.picklist(OPENAPI_VERSIONS), "3.1");
