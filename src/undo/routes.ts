import * as v from "valibot";
import type { Actor } from "../access/actor.ts";
import { snapshot } from "../db/database.ts";
import { describe } from "../events/describe.ts";
import { Event } from "../events/schema.ts";
import { EventText, Summary } from "../events/wire.ts";
import { GET, POST } from "../http/operation.ts";
import { timestamp } from "../lib/time.ts";
import { Count, wholeNumber } from "../lib/validation.ts";
import { EventList } from "../log/schema.ts";
import { wireOf } from "../log/store.ts";
import type { Change } from "./opposites.ts";
import { planToUndo, undo } from "./plan.ts";

/** How many of each are listed. */
const SHOWN = 20;

const InWords = v.pick(Event, ["type", "project", "environment", "featureName", "summary"]);

/** What was done and what undoing it would record, the first of each. */
export const Undo = v.strictObject({
  /** The number of events that are undone together. */
  total: Count,
  events: v.array(
    v.strictObject({ id: Event.entries.id, ...InWords.entries, undoes: v.optional(Event.entries.id) }),
  ),
  changes: v.array(v.strictObject(InWords.entries)),
});

const ofEvent = {
  tag: "Events",
  path: "/api/admin/events/:id/undo",
  permission: null, // that of the opposite change
  params: v.object({ id: wholeNumber(1) }),
  wrongParamsAre404: true,
  errors: ["NotFoundError", "ConflictError"],
} as const;

export const readUndo = GET({
  ...ofEvent,
  id: "getUndo",
  summary: "What undoing an event would do; needs the permission for the opposite change",
  response: Undo,
}).run(({ db, actor, params: { id } }) =>
  snapshot(db, () => {
    const { events, steps } = planToUndo(db, actor, id);
    return {
      total: events.length,
      events: events.slice(0, SHOWN).map((event) => ({
        id: event.id,
        ...inWords(event, event.summary),
        ...(typeof event.data?.undoes === "number" && { undoes: event.data.undoes }),
      })),
      changes: steps.slice(0, SHOWN).map(({ change }) => inWords(change, summaryBy(actor, change))),
    };
  }),
);

export const undoEvent = POST({
  ...ofEvent,
  id: "undo",
  summary: "Undo an event, with all others of the same change; needs the permission for the opposite change",
  records: [], // those of the opposite change
  response: EventList,
}).change(({ tx, actor, params: { id } }) => {
  undo(tx, planToUndo(tx.db, actor, id));
  const wires = tx.recorded.map((recorded) => wireOf(tx.db).pluck().get({ id: recorded })!);
  return { version: 1, events: wires.map((wire) => new EventText(wire)) };
});

const inWords = (change: Omit<v.InferOutput<typeof InWords>, "summary">, summary: string | null) => ({
  type: change.type,
  project: change.project,
  environment: change.environment,
  featureName: change.featureName,
  summary: new Summary(JSON.stringify(summary)),
});

const summaryBy = ({ createdBy, createdByUserId }: Actor, change: Change) =>
  describe({ ...change, createdBy, createdByUserId, createdAt: timestamp(), tags: [] }).summary;
