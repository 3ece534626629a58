import { diffLines } from "diff";
import { useState } from "preact/hooks";
import type { Output } from "../api.ts";
import { Icon, Nothing, Summary, Time } from "./words.tsx";

type LogEvent = Output<"GET /api/admin/search/events">["events"][number];

interface EventListProps {
  events: readonly LogEvent[];
  /** The id of the event that is expanded. */
  opened?: number | undefined;
  onOpen?(id: number | undefined): void;
}

/** Events, newest first; each expands to a diff of before and after. */
export function EventList({ events, opened, onOpen }: EventListProps) {
  const [own, setOwn] = useState<number>();
  const open = onOpen ?? setOwn;
  if (events.length === 0) return <Nothing>No events.</Nothing>;
  return (
    <ol class="log">
      {events.map((event) => (
        <EventItem
          key={event.id}
          event={event}
          isOpen={(opened ?? own) === event.id}
          onToggle={(isOpen) => open(isOpen ? event.id : undefined)}
        />
      ))}
    </ol>
  );
}

interface EventItemProps {
  event: LogEvent;
  isOpen: boolean;
  onToggle(isOpen: boolean): void;
}

function EventItem({ event, isOpen, onToggle }: EventItemProps) {
  const { id, createdAt, summary, type } = event;
  return (
    <li>
      <div class="event">
        <button type="button" class="bare" aria-expanded={isOpen} onClick={() => onToggle(!isOpen)}>
          <Icon name={isOpen ? "down" : "right"} />
          <Time at={createdAt} /> <span class="unseen">Event {id}</span>
        </button>
        <Summary text={summary ?? type} />
      </div>
      {isOpen && (
        <>
          <p class="muted">
            Event {id}, <code>{type}</code>, {new Date(createdAt).toISOString()}
          </p>
          <Change event={event} />
        </>
      )}
    </li>
  );
}

/** Without data before, something was created; without data after, deleted; some events have neither. */
const Change = ({ event: { data, preData } }: { event: LogEvent }) =>
  data === null && preData === null ? (
    <Nothing>This event has no further details.</Nothing>
  ) : (
    <Differences before={preData} after={data} />
  );

interface DifferencesProps {
  before: unknown;
  after: unknown;
  /** What the two are, as headings. */
  titles?: readonly [before: string, after: string];
}

interface Row {
  before: string | undefined;
  after: string | undefined;
  isSame: boolean;
}

/** A side-by-side diff of two values; what differs is marked by more than its colour. */
export function Differences({ before, after, titles = ["Before", "After"] }: DifferencesProps) {
  const rows = rowsOf(toText(before), toText(after));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <section class="scroll" tabIndex={0} aria-label={titles.join(" and ")}>
      <table class="differences">
        <thead>
          <tr>
            {titles.map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ before, after, isSame }, index) => (
            <tr key={index}>
              <td class={isSame ? undefined : "gone"}>
                {before !== undefined && (isSame ? before : <del>{before}</del>)}
              </td>
              <td class={isSame ? undefined : "new"}>
                {after !== undefined && (isSame ? after : <ins>{after}</ins>)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const toText = (value: unknown) =>
  value === null || value === undefined ? "" : `${JSON.stringify(value, null, 2)}\n`;

/** Longer values aren't compared line by line, which would take too long. In characters. */
const LONGEST = 200_000;

/** Puts removed lines beside the added lines that replace them. */
function rowsOf(before: string, after: string): Row[] {
  if (before.length + after.length > LONGEST) return pair(linesOf(before), linesOf(after));
  const rows: Row[] = [];
  let removed: string[] = [];
  let added: string[] = [];
  const flush = () => {
    rows.push(...pair(removed, added));
    [removed, added] = [[], []];
  };
  for (const { value, added: isAdded, removed: isRemoved } of diffLines(before, after)) {
    if (isRemoved) removed = linesOf(value);
    else if (isAdded) added = linesOf(value);
    else {
      flush();
      rows.push(...linesOf(value).map((line) => ({ before: line, after: line, isSame: true })));
    }
  }
  flush();
  return rows;
}

const linesOf = (text: string) => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));

const pair = (removed: readonly string[], added: readonly string[]): Row[] =>
  Array.from({ length: Math.max(removed.length, added.length) }, (_, index) => ({
    before: removed[index],
    after: added[index],
    isSame: false,
  }));
