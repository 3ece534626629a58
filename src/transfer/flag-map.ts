import * as v from "valibot";
import type { ClientFeaturesFile } from "./client-features.ts";

/*
 * The short form: flag names, each with true or false, or with its enabled state and variant, as offline
 * proxies read it.
 */

export const FlagMap = v.record(
  v.string(),
  v.union(
    [v.boolean(), v.object({ enabled: v.boolean(), variant: v.nullish(v.string()) })],
    "must be true, false, or an object with enabled and variant",
  ),
);
type FlagMap = v.InferOutput<typeof FlagMap>;

/** Converts a map to flags that are on for everyone or off. */
export const mapFeatures = (map: FlagMap) => ({
  features: Object.entries(map).map(([name, flag]) => toFeature(name, flag)),
});

function toFeature(name: string, flag: FlagMap[string]) {
  const { enabled, variant } = typeof flag === "boolean" ? { enabled: flag } : { variant: null, ...flag };
  return {
    name,
    enabled,
    strategies: [{ name: "default" }],
    variants: variant ? [{ name: variant, weight: 1000, stickiness: "default" }] : [],
  } satisfies v.InferInput<typeof ClientFeaturesFile>["features"][number];
}
