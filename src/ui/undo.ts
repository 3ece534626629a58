import { effect } from "@preact/signals";
import { type Output, RequestError, request } from "./api.ts";
import { capitalised, count, listed } from "./format.ts";
import { showError, tell } from "./messages.ts";
import { change, recorded } from "./reads.ts";

export const UNDO = "/api/admin/events/:id/undo";

export type Undo = Output<`GET ${typeof UNDO}`>;

/** Says what each change made here has done, and offers to undo it; of many at once, only of the first and the last. */
effect(() => {
  if (recorded.value !== undefined && !isAsking) void askForAll();
});

let isAsking = false;

async function askForAll() {
  isAsking = true;
  for (let last: number | undefined; last !== recorded.peek(); ) {
    last = recorded.peek()!;
    await offerUndo(last).catch(() => {}); // it is only an offer
  }
  isAsking = false;
}

async function offerUndo(id: number) {
  const undo = await request(`GET ${UNDO}`, { params: { id } });
  if (undo.refusal === null)
    tell(inWords(undo), { label: isUndo(undo) ? "Redo" : "Undo", act: () => takeBack(id, undo) });
}

/** Undoes an event; if that is refused, says what is in the way, with a link to it. */
export async function takeBack(id: number, { events }: Undo) {
  try {
    await change(`POST ${UNDO}`, { params: { id } });
  } catch (error) {
    if (!(error instanceof RequestError) || error.event === undefined) throw error;
    showError(error, logAt(error.event, events[0]?.featureName));
  }
}

/** Where the log shows an event. */
export const logAt = (id: number, feature: string | null | undefined) =>
  `/events?${new URLSearchParams({ ...(feature && { feature }), open: String(id) })}`;

const isUndo = ({ events }: Undo) => events[0]?.undoes !== undefined;

/** How many changes are told one by one. */
const TOLD = 2;

/** "Disabled the flag **a** in the environment **b**", as it is in the log, without who did it in which project. */
function inWords({ total, events }: Undo) {
  const told = events.slice(0, TOLD).map(({ summary, type }) => (summary ?? type).replace(AROUND, ""));
  const others = total > TOLD ? [`${count(total - TOLD)} more`] : [];
  const words = listed([...told, ...others]);
  return events[0]?.undoes === undefined ? capitalised(words) : `Undone: ${words}`;
}

const AROUND = /^\*\*.*?\*\* | in the project \*\*[^*]+\*\*| \(undoing event \d+\)$/gs;
