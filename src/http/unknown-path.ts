import type { EventHandler } from "h3";
import { ApiError } from "./error.ts";

/** So many are remembered that they are in the log; beyond that a program that tries paths can't fill the log. */
const REMEMBERED = 1000;

/**
 * Answers paths that nothing else does. Of the API it says that the operation is missing here, lest a client takes
 * the 404 for a missing flag (CONTRACT); each is logged once.
 */
export function unknownPath(): EventHandler {
  const logged = new Set<string>();
  const isNew = (operation: string) =>
    logged.size < REMEMBERED && !logged.has(operation) && Boolean(logged.add(operation));
  return (event) => {
    const { pathname } = event.url;
    if (!pathname.startsWith("/api/")) throw new ApiError("NotFoundError", `There is nothing at ${pathname}`);
    const method = event.req.method === "HEAD" ? "GET" : event.req.method;
    const operation = `${method} ${pathname}`;
    throw new ApiError("NotFoundError", `Flagstone has no operation ${operation}`, {
      isLogged: isNew(operation),
    });
  };
}
