import type { H3Event } from "h3";
import { toClaim } from "../auth/claim.ts";
import { requirePermission } from "../auth/require-permission.ts";
import { ApiError } from "./error.ts";
import { checkedParams, checkedQuery, toRequest } from "./incoming.ts";
import type { Door, Operation } from "./operation.ts";
import type { Site } from "./perform.ts";
import { toParts } from "./response.ts";
import { isCurrentTag } from "./tag.ts";

/*
 * `If-Match` on a change: the change is made only if the version the caller read is still current. This is checked in
 * the change's own transaction, so of two callers who read the same version only one succeeds.
 */

/** The GET a change is compared with: the one at its path, or else at the nearest path above; undefined if none. */
export function targetOf({ path }: Pick<Operation, "path">, operations: readonly Operation[]) {
  const reads = operations.filter(({ method }) => method === "GET");
  for (let words = shape(path); words.length > 0; words = words.slice(0, -1)) {
    const found = reads.find((read) => shape(read.path).join("/") === words.join("/"));
    if (found) return found;
  }
  return undefined;
}

const shape = (path: string) => path.split("/").map((word) => (word.startsWith(":") ? ":" : word));

/** @throws ApiError `PreconditionFailedError` if the change is for a version other than the current one */
export function requireMatch(site: Site, operation: Operation, event: H3Event) {
  const given = event.req.headers.get("if-match");
  if (given === null) return;
  const etag = currentTag(site, targetOf(operation, site.operations), event);
  if (etag === undefined) throw failed("Nothing can be read here that If-Match could be about: leave it out");
  if (isCurrentTag(given, etag)) return;
  throw failed("This was changed since you read it: read it again, and decide again", { etag });
}

const failed = (message: string, headers?: Record<string, string>) =>
  new ApiError("PreconditionFailedError", message, { ...(headers && { headers }) });

/** The tag the caller would get now; undefined if the resource has none. */
function currentTag({ db, root }: Site, read: Operation | undefined, event: H3Event) {
  if (!read) return undefined;
  const raw = paramsOf(read, event);
  const { actor } = event.context;
  requirePermission(db, actor, toClaim(db, actor, read.permission, raw));
  const asked = { params: checkedParams(read, raw), query: checkedQuery(read, event), body: undefined };
  const answer = read.handle(toRequest(db, event, asked), noDoor);
  return answer instanceof Promise ? undefined : toParts(answer, { ...read, root }).headers.etag;
}

const noDoor: Door = () => Promise.reject(new Error("A read opened the door for changes"));

/** By position, since paths that share segments may name their parameters differently. */
function paramsOf({ path }: Operation, { url }: H3Event) {
  const given = url.pathname.split("/");
  const params = path
    .split("/")
    .flatMap((word, index) =>
      word.startsWith(":") ? [[word.slice(1), decodeURIComponent(given[index]!)] as const] : [],
    );
  return Object.fromEntries(params);
}
