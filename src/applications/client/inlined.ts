import type { ClientFeature, ClientSegment } from "../../evaluation/client-feature.ts";
import type { State } from "./state.ts";
import type { Flag } from "./store.ts";

/** A flag as JSON for SDKs that don't support segments: their constraints are appended to the strategies' own. */
export function inlined({ segments }: Pick<State, "segments">, { text }: Flag): string {
  if (!text.includes('"segments":[')) return text;
  const { strategies, ...feature } = JSON.parse(text) as ClientFeature;
  const constraintsOf = (id: number) =>
    (JSON.parse(segments.get(id)?.text ?? '{"constraints":[]}') as ClientSegment).constraints;
  const inline = ({ segments: ids = [], constraints, ...rest }: ClientFeature["strategies"][number]) => ({
    ...rest,
    constraints: [...constraints, ...ids.flatMap(constraintsOf)],
  });
  return JSON.stringify({ ...feature, strategies: strategies.map(inline) });
}
