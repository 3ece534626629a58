import type { Tx } from "../../events/write.ts";
import { createSegment, deleteSegment, updateSegment } from "../../flags/segments/routes.ts";
import { performIn } from "./perform.ts";
import type { Plan } from "./plan.ts";
import type { ProjectText } from "./schema.ts";
import type { ProjectState } from "./state.ts";
import { differences } from "./step.ts";

/** Plans the segments in a text. */
export function planSegments(
  { steps, actions }: Plan,
  { project, segments }: ProjectText,
  state: ProjectState,
) {
  for (const [name, { description, constraints }] of Object.entries(segments)) {
    const current = state.segments.get(name);
    const changes = current && differences(current, { description, constraints });
    if (changes && Object.keys(changes).length === 0) continue;
    steps.push({ action: current ? "change" : "add", kind: "segment", name, ...(changes && { changes }) });
    const { constraints: own = [] } = current ?? {};
    const body = {
      name,
      project,
      description: description ?? current?.description,
      constraints: constraints ?? own,
    };
    const act = (tx: Tx) =>
      current
        ? performIn(tx, updateSegment, { id: String(current.id) }, body)
        : performIn(tx, createSegment, {}, body);
    actions.push({ where: `segment ${name}`, act });
  }
}

/** Plans removing the segments that are not in it. */
export function pruneSegments({ steps, actions }: Plan, { segments }: ProjectText, state: ProjectState) {
  for (const [name, { id }] of state.segments) {
    if (Object.hasOwn(segments, name)) continue;
    steps.push({ action: "remove", kind: "segment", name });
    actions.push({ where: `segment ${name}`, act: (tx) => performIn(tx, deleteSegment, { id: String(id) }) });
  }
}
