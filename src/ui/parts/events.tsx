import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { pathTo } from "../address.ts";
import { type Input, type Output, shownTime } from "../api.ts";
import { day } from "../format.ts";
import { useRead } from "../reads.ts";
import { Differences } from "./differences.tsx";
import { UndoAction } from "./undo.tsx";
import { Answer, Icon, type IconName, NameLink, Nothing, Summary, Time } from "./words.tsx";

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
      {events.map((event, index) => (
        <EventItem
          key={event.id}
          event={event}
          isFirstOfDay={day(event.createdAt) !== (index > 0 && day(events[index - 1]!.createdAt))}
          isOpen={(opened ?? own) === event.id}
          onToggle={(isOpen) => open(isOpen ? event.id : undefined)}
        />
      ))}
    </ol>
  );
}

interface LatestEventsProps {
  title: string;
  /** The path of the view that shows all of them. */
  all: string;
  query: NonNullable<Input<"GET /api/admin/search/events">["query"]> & { limit: number };
}

/** The newest events, of many. */
export const LatestEvents = ({ title, all, query }: LatestEventsProps) => (
  <section class="card">
    <div class="heading">
      <h2>{title}</h2>
      <Link href={all}>All events</Link>
    </div>
    <Answer read={useRead("GET /api/admin/search/events", { query })} rows={query.limit}>
      {({ events }) => <EventList events={events} />}
    </Answer>
  </section>
);

interface EventItemProps {
  event: LogEvent;
  /** Of those that are shown. */
  isFirstOfDay: boolean;
  isOpen: boolean;
  onToggle(isOpen: boolean): void;
}

function EventItem({ event, isFirstOfDay, isOpen, onToggle }: EventItemProps) {
  const { id, createdAt, summary, type } = event;
  return (
    <li>
      {isFirstOfDay && <p class="day">{day(createdAt)}</p>}
      <div class="event">
        <button type="button" class="bare" aria-expanded={isOpen} onClick={() => onToggle(!isOpen)}>
          <Icon name={isOpen ? "down" : "right"} />
          <Time at={createdAt} /> <span class="unseen">Event {id}</span>
        </button>
        <Icon name={iconOf(type)} />
        <Summary text={summary ?? type} />
      </div>
      {isOpen && (
        <div class="details">
          <p class="muted">
            Event {id}, <code>{type}</code>, {new Date(createdAt).toISOString()} ·{" "}
            <NameLink to={placeThen(event)}>What was then</NameLink>
          </p>
          <Change event={event} />
          {shownTime.value === undefined && <UndoAction id={id} feature={event.featureName} />}
        </div>
      )}
    </li>
  );
}

/** The flag or the project of an event, just after it. */
function placeThen({ id, project, featureName }: LogEvent) {
  const place = pathTo(
    ...(project === null ? [] : ["projects", project]),
    ...(featureName === null ? [] : ["features", featureName]),
  );
  return `${place}?at=${id}`;
}

/** What a type of event ends with, and what that is like. */
const KINDS: ReadonlyArray<readonly [RegExp, IconName]> = [
  [/(created|added|add|imported)$/, "add"],
  [/(deleted|removed|remove)$/, "remove"],
  [/(enabled|revived)$/, "check"],
  [/disabled$/, "pause"],
  [/archived$/, "archive"],
  [/(updated|update|changed)$/, "edit"],
];

const iconOf = (type: string): IconName => KINDS.find(([ending]) => ending.test(type))?.[1] ?? "log";

/** Without data before, something was created; without data after, deleted; some events have neither. */
const Change = ({ event: { data, preData } }: { event: LogEvent }) =>
  data === null && preData === null ? (
    <Nothing>This event has no further details.</Nothing>
  ) : (
    <Differences before={preData} after={data} />
  );
