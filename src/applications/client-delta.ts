import type { SdkActor } from "../access/authenticate.ts";
import type { Database } from "../db/database.ts";
import type { ClientFeature, ClientSegment } from "../evaluation/client-feature.ts";
import { RawJson, type Wire } from "../lib/raw-json.ts";
import type { ClientEvent } from "./client-schema.ts";
import {
  type FlagSelection,
  isSegmentSelected,
  isSelected,
  selectedFlags,
  selectedSegments,
  toSelection,
} from "./client-selection.ts";
import { type Change, type State, stateOf, union } from "./client-state.ts";
import type { Flag } from "./client-store.ts";

type Events = Array<Exclude<Wire<ClientEvent>, RawJson>>;

/** An application's changes since a revision; everything without one, or if the history doesn't reach back that far. */
export function delta(state: State, selection: FlagSelection, since: number | undefined): Events {
  if (since === undefined || since > state.revision || since < state.since)
    return hydration(state, selection);
  return changesSince(state, since).flatMap((change): Events => {
    const eventOf = change.kind === "segment" ? segmentEvent : flagEvent;
    return eventOf(state, selection, change);
  });
}

const hydration = (state: State, selection: FlagSelection): Events => [
  {
    eventId: state.revision,
    type: "hydration",
    features: listOf<ClientFeature>(selectedFlags(state, selection).map(({ text }) => text)),
    segments: listOf<ClientSegment>(selectedSegments(state, selection)),
  },
];

/** One change per flag and segment: its newest revision, with the project before its oldest. */
function changesSince({ changes }: State, since: number): Change[] {
  const net = new Map<string, Change>();
  for (let index = changes.length - 1; index >= 0 && changes[index]!.revision > since; index--) {
    const change = changes[index]!;
    const key = `${change.kind} ${change.key}`;
    const newer = net.get(key) ?? change;
    net.set(key, { ...change, revision: newer.revision, projects: union(change, newer) });
  }
  return [...net.values()].reverse().sort((a, b) => a.revision - b.revision);
}

function flagEvent(
  state: State,
  selection: FlagSelection,
  { revision: eventId, key, project }: Change,
): Events {
  const featureName = String(key);
  const flag = state.flags.get(featureName);
  if (flag && isSelected(flag, selection))
    return [{ eventId, type: "feature-updated", feature: toFeature(flag) }];
  if (project === undefined || !isSelected({ name: featureName, project }, selection)) return [];
  return [{ eventId, type: "feature-removed", featureName, project }];
}

function segmentEvent({ segments }: State, selection: FlagSelection, change: Change): Events {
  if (!isSegmentSelected(change, selection)) return [];
  const [eventId, segmentId] = [change.revision, Number(change.key)];
  const segment = segments.get(segmentId);
  return segment && isSegmentSelected(segment, selection)
    ? [{ eventId, type: "segment-updated", segment: new RawJson<ClientSegment>(segment.text) }]
    : [{ eventId, type: "segment-removed", segmentId }];
}

const toFeature = ({ text }: Flag) => new RawJson<ClientFeature>(text);

/** JSON texts as one list. */
export const listOf = <T>(texts: readonly string[]) => new RawJson<T[]>(`[${texts.join(",")}]`);

/**
 * A revision in the form that applications send back. One beyond the log is valid for this state only: after a restart,
 * another change may get the same number.
 */
export const toPosition = ({ event, epoch }: State, revision: number) =>
  revision > event ? `${revision}.${epoch}` : String(revision);

/** The revision of a client; undefined if it has none, or one unknown to this state. */
export function toRevision({ epoch }: State, position: string | null | undefined): number | undefined {
  const [, digits, own = epoch] = /^(\d{1,15})(?:\.([\da-f]+))?$/.exec(position ?? "") ?? [];
  return digits === undefined || own !== epoch ? undefined : Number(digits);
}

/** An application's position in the history of its flags, and whether they have changed since another position. */
export function flagsSince(db: Database, actor: SdkActor, position: string | undefined) {
  const selection = toSelection(db, actor);
  const state = stateOf(db, selection.environment);
  const since = toRevision(state, position);
  const isChanged = since === undefined ? position !== undefined : delta(state, selection, since).length > 0;
  return { position: toPosition(state, state.revision), isChanged };
}
