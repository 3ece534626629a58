import type { Tx } from "../../events/write.ts";
import { copyDependencies } from "../dependencies.ts";
import { copyStrategies } from "../strategies-store.ts";
import { createFeature } from "./changes.ts";
import type { Feature } from "./schema.ts";

/** Creates a copy of a flag, with its metadata, strategies, variants and dependencies. */
export function cloneFeature(
  tx: Tx,
  source: Feature,
  name: string,
  { replacesGroupId = true } = {},
): Feature {
  const { project, type, description, impressionData, stale } = source;
  const clone = createFeature(tx, project, { name, type, description, impressionData, stale });
  copyStrategies(tx, { project, from: source.name, to: name, replacesGroupId });
  copyDependencies(tx, source.name, clone);
  return clone;
}
