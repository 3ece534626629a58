import type { H3 } from "h3";
import { requireInPlace } from "../db/place.ts";
import type { Database } from "../db/statement.ts";
import { toResponse, wholeParts } from "./response.ts";
import { route } from "./route.ts";

const GOOD = wholeParts(`{"health":"GOOD"}`);
const READY = wholeParts(`{"health":"READY"}`);

/** Two probes that need no credential: `/health` (the process responds) and `/ready` (so does the database). */
export function mountHealth(app: H3, db: Database) {
  route(app, "/health", { GET: (event) => toResponse(GOOD, event.req) });
  route(app, "/ready", {
    GET(event) {
      db.pragma("user_version");
      requireInPlace(db);
      return toResponse(READY, event.req);
    },
  });
}
