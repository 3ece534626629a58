import assert from "node:assert/strict";
import { outsiders, withCustomRole } from "./bad-bodies.ts";
import type { Scenario } from "./server.ts";
import { personal, SERVICE } from "./world.ts";

type Done = Required<Pick<Scenario, "given">> & Pick<Scenario, "url" | "body" | "expect" | "records">;

/** Scenarios for callers with and without permission to change something in the existing, open project `a`. */
export const permitted = (permission: string, done: Done, other = "CREATE_FEATURE"): Scenario[] => {
  const { url, body, given } = done;
  const asked = { given, ...(url && { url }), ...(body !== undefined && { body }) };
  const refused = { ...asked, expect: [403, "NoAccessError"] as [number, string] };
  return [
    ...outsiders(asked),
    { ...done, name: "an Admin may" },
    { ...done, name: "a service token may", as: SERVICE },
    { ...done, name: "an Owner may", as: personal(3), given: (w) => given(w).member("a", 3, 4) },
    {
      ...done,
      name: `${permission} alone is enough`,
      as: personal(3),
      given: withCustomRole(given, { name: permission }),
    },
    {
      ...refused,
      name: "another permission is not enough",
      as: personal(3),
      given: withCustomRole(given, { name: other }),
      see: ({ message }) => assert.ok(message.includes(permission), message),
    },
    { ...refused, name: "a Viewer may not", as: personal(3) },
    { ...refused, name: "an Editor may not outside the default project", as: personal(2) },
  ];
};
