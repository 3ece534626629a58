import type { Operation } from "../../src/http/operation.ts";
import { exampleOf } from "../../src/server/examples.ts";
import { createWorld } from "./world.ts";

const STRATEGY = "5b8f7e3c-3f0a-4c1d-9a52-0d7c6f3b1e24";

/** The URL of an operation's example. @param also more query parameters */
export function exampleUrl(operation: Operation, also?: Record<string, string>) {
  const { params, query } = exampleOf(operation);
  const path = operation.path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name]!));
  const search = String(new URLSearchParams({ ...query, ...also }));
  return search === "" ? path : `${path}?${search}`;
}

/** The rows that the examples refer to. */
export const exampleWorld = () =>
  createWorld()
    .environment("spare")
    .add("contextField", { name: "plan", stickiness: true })
    .add("strategyType", { name: "geo" })
    .add("segment", { id: 1, name: "Testers", constraints: [] })
    .add("tag", { type: "simple", value: "urgent" })
    .add("role", { id: 8, name: "Night watch", type: "custom", permissions: [] })
    .add("banner", { id: 1, message: "Back at noon" })
    .user({ accountType: "Service Account", username: "pipeline" })
    .group("Day shift", [2])
    .project("shop")
    .project("lab")
    .project("empty")
    .project("gone", { archivedAt: "2026-01-02T00:00:00.000Z" })
    .member("shop", 1, 4)
    .feature("base-flag", "shop")
    .feature("old-flag", "shop", { archivedAt: "2026-01-02T00:00:00.000Z" })
    .feature("first-flag", "shop", {
      links: [{ id: "the-design", url: "https://design.example", title: "The design" }],
      environments: [
        {
          name: "development",
          enabled: true,
          strategies: [{ id: STRATEGY, name: "default" }],
          variants: [{ name: "red", weight: 1000, weightType: "variable", stickiness: "default" }],
        },
      ],
    })
    .changeRequest("shop", {
      changes: [
        {
          id: 1,
          feature: "first-flag",
          action: "updateEnabled",
          payload: { enabled: false },
          before: true,
          createdAt: "2026-01-01T00:00:00.000Z",
        },
      ],
    })
    .changeRequest("shop", { state: "In review", createdBy: 2 })
    .integration();
