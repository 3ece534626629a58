import type { Tx } from "../../events/write.ts";
import { copyDependencies } from "../dependencies/changes.ts";
import { copyFeatureEnvironments } from "../strategies/changes-copy.ts";
import { createFeature } from "./changes.ts";
import type { Feature } from "./schema.ts";

/** Makes a flag like another one: what describes it, strategies, variants and what it depends on. */
export function cloneFeature(
  tx: Tx,
  source: Feature,
  name: string,
  { replacesGroupId = true } = {},
): Feature {
  const { project, type, description, impressionData } = source;
  const clone = createFeature(tx, project, { name, type, description, impressionData, stale: false });
  copyFeatureEnvironments(tx, { project, from: source.name, to: name, replacesGroupId });
  copyDependencies(tx, source.name, clone);
  return clone;
}
