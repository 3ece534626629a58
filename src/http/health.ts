import type { H3 } from "h3";
import { watchPlace } from "../db/network-fs.ts";
import type { Database } from "../db/statement.ts";
import { ApiError } from "./error.ts";
import { toResponse, wholeParts } from "./response.ts";
import { route } from "./route.ts";

/** From then on, changes go to an unlinked file, which vanishes with the process. */
const MOVED = "The data file was moved, replaced or removed while it is served: start the server again";

const GOOD = wholeParts(`{"health":"GOOD"}`);
const READY = wholeParts(`{"health":"READY"}`);

/** Two probes that need no credential: `/health` (the process responds) and `/ready` (so does the database). */
export function mountHealth(app: H3, db: Database) {
  const isInPlace = watchPlace(db);
  route(app, "/health", { GET: (event) => toResponse(GOOD, event.req) });
  route(app, "/ready", {
    GET(event) {
      db.pragma("user_version");
      if (!isInPlace()) throw new ApiError("ServiceUnavailableError", MOVED, { cause: db.name });
      return toResponse(READY, event.req);
    },
  });
}
