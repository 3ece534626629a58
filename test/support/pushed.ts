import { createWorld, type World } from "./world.ts";

/** A project with all that can be pushed, in the form that APIs give it. */
export function pushedWorld(project: Record<string, unknown> = { description: "What we sell" }): World {
  const strategy = (title: string, more: object = {}) => ({
    ...{ name: "flexibleRollout", title, disabled: false, segments: [], constraints: [], variants: [] },
    parameters: { rollout: "50", stickiness: "default", groupId: "checkout" },
    ...more,
  });
  const variant = (name: string, weight: number) => ({
    ...{ name, weight, weightType: "variable", stickiness: "default" },
    payload: { type: "string", value: name },
  });
  const constraint = { contextName: "country", operator: "IN", values: ["DE"] };
  return createWorld()
    .project("default", project)
    .add("tagType", { name: "team", description: "Who owns it", icon: "t" })
    .add("contextField", {
      name: "country",
      description: "Where",
      legalValues: [{ value: "DE" }, { value: "FR" }],
    })
    .add("strategyType", { name: "byCountry", description: "On in some", parameters: [] })
    .add("segment", { id: 40, name: "Europe", constraints: [constraint] })
    .add("segment", { id: 41, name: "Ours", project: "default", constraints: [constraint] })
    .feature("parent", "default", {
      environments: [{ name: "development", enabled: true, strategies: [strategy("All", { id: "s0" })] }],
    })
    .feature("checkout", "default", {
      type: "experiment",
      description: "The new one",
      impressionData: true,
      tags: [{ type: "team", value: "shop" }],
      dependencies: [{ feature: "parent" }],
      environments: [
        {
          name: "production",
          enabled: true,
          strategies: [
            strategy("Europe", { id: "s1", sortOrder: 1, segments: [40, 41] }),
            strategy("Half", {
              id: "s2",
              sortOrder: 0,
              constraints: [constraint],
              variants: [variant("a", 400), variant("b", 600)],
            }),
          ],
        },
        { name: "development", enabled: false, strategies: [strategy("Off", { id: "s3", disabled: true })] },
      ],
    })
    .feature("stale", "default", { type: "kill-switch", stale: true })
    .feature("gone", "default", { archivedAt: "2026-02-01T00:00:00.000Z" });
}
