import { createWorld } from "../support/world.ts";

const PERMISSIONS = ["APPROVE_CHANGE_REQUEST", "APPLY_CHANGE_REQUEST"];

/** A project with a flag, in which user 4 may approve and apply changes of production. */
export const approvers = (project = {}) =>
  createWorld()
    .add("role", {
      id: 6,
      name: "Approver",
      type: "custom",
      permissions: PERMISSIONS.map((name) => ({ name, environment: "production" })),
    })
    .project("shop", project)
    .member("shop", 1, 4)
    .member("shop", 4, 6)
    .feature("checkout", "shop", {
      environments: [{ name: "production", strategies: [{ id: "s", name: "default" }] }],
    });
