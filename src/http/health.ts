import type { H3 } from "h3";
import type { Database } from "../db/statement.ts";
import { route } from "./mount.ts";
import { toResponse, wholeParts } from "./response.ts";

const GOOD = wholeParts(`{"health":"GOOD"}`);
const READY = wholeParts(`{"health":"READY"}`);

/** Two questions without a credential: `/health`, does the process answer, and `/ready`, does the database too. */
export function mountHealth(app: H3, db: Database) {
  route(app, "/health", { GET: (event) => toResponse(GOOD, event.req) });
  route(app, "/ready", {
    GET(event) {
      db.pragma("user_version");
      return toResponse(READY, event.req);
    },
  });
}
