import type { H3Event } from "h3";
import { requirePermission, toClaim } from "../access/require-permission.ts";
import { ApiError } from "../lib/api-error.ts";
import { checkedParams, checkedQuery, toRequest } from "./checked-input.ts";
import type { Commit, Operation } from "./operation.ts";
import { isCurrentTag, toParts } from "./response.ts";
import type { Site } from "./site.ts";

/*
 * `If-Match` on a change: the change is made only if the version the caller read is still current. This is checked in
 * the change's own transaction, so of two callers who read the same version, only one succeeds.
 */

/** The GET a change is compared with: the one at its path, or else at the nearest path above; undefined if none. */
export function targetOf({ path }: Pick<Operation, "path">, operations: readonly Operation[]) {
  const reads = operations.filter(({ method }) => method === "GET");
  for (let segments = segmentsOf(path); segments.length > 0; segments = segments.slice(0, -1)) {
    const found = reads.find((read) => segmentsOf(read.path).join("/") === segments.join("/"));
    if (found) return found;
  }
  return undefined;
}

const segmentsOf = (path: string) =>
  path.split("/").map((segment) => (segment.startsWith(":") ? ":" : segment));

/** @throws ApiError `PreconditionFailedError` if the change is for a version other than the current one */
export function requireMatch(site: Site, operation: Operation, event: H3Event) {
  const header = event.req.headers.get("if-match");
  if (header === null) return;
  const etag = currentTag(site, targetOf(operation, site.operations), event);
  if (etag === undefined)
    throw preconditionFailed("Nothing can be read here for If-Match to compare: leave it out");
  if (isCurrentTag(header, etag)) return;
  throw preconditionFailed("This has changed since you read it: read it again, then decide again", { etag });
}

const preconditionFailed = (message: string, headers?: Record<string, string>) =>
  new ApiError("PreconditionFailedError", message, { ...(headers && { headers }) });

/** The tag the caller would get now; undefined if the resource has none. */
function currentTag({ db, root }: Site, read: Operation | undefined, event: H3Event) {
  if (!read) return undefined;
  const raw = paramsOf(read, event);
  const { actor } = event.context;
  requirePermission(db, actor, toClaim(db, actor, read.permission, raw));
  const input = { params: checkedParams(read, raw), query: checkedQuery(read, event.url), body: undefined };
  const result = read.handle(toRequest(db, event, input), rejectWrite);
  return result instanceof Promise ? undefined : toParts(result, { ...read, root }).headers.etag;
}

const rejectWrite: Commit = () => Promise.reject(new Error("A read tried to open a write transaction"));

/** By position, since paths that share segments may name their parameters differently. */
function paramsOf({ path }: Operation, { url }: H3Event) {
  const given = url.pathname.split("/");
  const params = path
    .split("/")
    .flatMap((segment, index) =>
      segment.startsWith(":") ? [[segment.slice(1), decodeURIComponent(given[index]!)] as const] : [],
    );
  return Object.fromEntries(params);
}
