import { useState } from "preact/hooks";
import type { Output } from "../api.ts";
import { Nothing } from "./answer.tsx";
import { Differences } from "./differences.tsx";
import { Icon } from "./icon.tsx";
import { Summary, Time } from "./words.tsx";

export type LogEvent = Output<"GET /api/admin/search/events">["events"][number];

interface EventListProps {
  events: readonly LogEvent[];
  /** The id of the event that is expanded. */
  opened?: number | undefined;
  onOpen?(id: number | undefined): void;
}

/** Events, newest first; each expands to a diff of before and after. */
export function EventList({ events, opened, onOpen }: EventListProps) {
  const [own, setOwn] = useState<number | undefined>();
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
