import { withCustomRole } from "./bad-bodies.ts";
import type { Scenario } from "./server.ts";
import { personal, SERVICE } from "./world.ts";

type Done = Required<Pick<Scenario, "given">> & Pick<Scenario, "url" | "body" | "expect" | "records">;

/**
 * Scenarios for callers who may change something in the existing, open project `a`; that others may not is tested for
 * all operations at once.
 */
export const permitted = (permission: string, done: Done): Scenario[] => [
  { ...done, name: "an Admin may" },
  { ...done, name: "a service token may", as: SERVICE },
  {
    ...done,
    name: `${permission} alone is enough`,
    as: personal(3),
    given: withCustomRole(done.given, { name: permission }),
  },
];
