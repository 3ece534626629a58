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
 * `If-Match` on a change: it is made only while what the caller has read is current, which is looked at in the
 * transaction of the change, so that of two who have read the same only one can go on.
 */

/** What a change is compared with: what a GET answers at its path, or else at the nearest path above; undefined for none. */
export function targetOf({ path }: Pick<Operation, "path">, operations: readonly Operation[]) {
  const reads = operations.filter(({ method }) => method === "GET");
  for (let words = shape(path); words.length > 0; words = words.slice(0, -1)) {
    const found = reads.find((read) => shape(read.path).join("/") === words.join("/"));
    if (found) return found;
  }
  return undefined;
}

const shape = (path: string) => path.split("/").map((word) => (word.startsWith(":") ? ":" : word));

/** @throws ApiError `PreconditionFailedError` where the change is for a version that is not the current one */
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

/** The tag that the caller would get now; undefined where what there is to read has none. */
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

/** By their places in the path, since paths that share words may name them differently. */
function paramsOf({ path }: Operation, { url }: H3Event) {
  const given = url.pathname.split("/");
  const params = path
    .split("/")
    .flatMap((word, index) =>
      word.startsWith(":") ? [[word.slice(1), decodeURIComponent(given[index]!)] as const] : [],
    );
  return Object.fromEntries(params);
}
