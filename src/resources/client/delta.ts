import { RawJson, type Wire } from "../../http/raw-json.ts";
import type { Change } from "./compare.ts";
import type { ClientEvent, ClientFeature, ClientSegment } from "./schema.ts";
import type { State } from "./state.ts";
import type { Flag } from "./store.ts";
import type { Wanted } from "./wanted.ts";
import { isWanted, wantedFlags } from "./wanted.ts";

type Events = Array<Exclude<Wire<ClientEvent>, RawJson>>;

/** Everything an application has access to. */
export const hydration = (state: State, wanted: Wanted): Events => [
  {
    eventId: state.revision,
    type: "hydration",
    features: listOf<ClientFeature>(wantedFlags(state, wanted).map(({ text }) => text)),
    segments: listOf<ClientSegment>([...state.segments.values()]),
  },
];

/** An application's changes since a revision; everything if the history doesn't reach back that far. */
export function delta(state: State, wanted: Wanted, since: number): Events {
  if (since > state.revision || since < state.since) return hydration(state, wanted);
  return changesSince(state, since).flatMap((change): Events => {
    if (change.kind === "segment") return [segmentEvent(state, change)];
    return flagEvent(state, wanted, change);
  });
}

/** One change per flag and segment: its newest revision, and its state before the oldest. */
function changesSince({ changes }: State, since: number): Change[] {
  const net = new Map<string, Change>();
  for (let index = changes.length - 1; index >= 0 && changes[index]!.revision > since; index--) {
    const change = changes[index]!;
    const key = `${change.kind} ${change.key}`;
    net.set(key, { ...change, revision: net.get(key)?.revision ?? change.revision });
  }
  return [...net.values()].reverse().sort((a, b) => a.revision - b.revision);
}

function flagEvent(state: State, wanted: Wanted, { revision: eventId, key, project }: Change): Events {
  const featureName = String(key);
  const flag = state.flags.get(featureName);
  if (flag && isWanted(flag, wanted)) return [{ eventId, type: "feature-updated", feature: toFeature(flag) }];
  if (project === undefined || !isWanted({ name: featureName, project }, wanted)) return [];
  return [{ eventId, type: "feature-removed", featureName, project }];
}

/** Segments are sent to every application. */
function segmentEvent({ segments }: State, { revision: eventId, key }: Change): Events[number] {
  const segmentId = Number(key);
  const text = segments.get(segmentId);
  return text === undefined
    ? { eventId, type: "segment-removed", segmentId }
    : { eventId, type: "segment-updated", segment: new RawJson<ClientSegment>(text) };
}

const toFeature = ({ text }: Flag) => new RawJson<ClientFeature>(text);

/** JSON texts as one list. */
export const listOf = <T>(texts: readonly string[]) => new RawJson<T[]>(`[${texts.join(",")}]`);

/**
 * A revision as applications send it back. One beyond the log means something to this state only: after a restart
 * another change may have its number.
 */
export const toPosition = ({ event, epoch }: State, revision: number) =>
  revision > event ? `${revision}.${epoch}` : String(revision);

/** The revision that a client has; undefined if it has none, or one that this state doesn't know. */
export function toRevision({ epoch }: State, position: string | null | undefined): number | undefined {
  const [, digits, own = epoch] = /^(\d{1,15})(?:\.([\da-f]+))?$/.exec(position ?? "") ?? [];
  return digits === undefined || own !== epoch ? undefined : Number(digits);
}
