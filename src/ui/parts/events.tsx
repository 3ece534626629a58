import { useState } from "preact/hooks";
import type { Output } from "../api.ts";
import { Nothing } from "./answer.tsx";
import { Differences } from "./differences.tsx";
import { Icon } from "./icon.tsx";
import { Summary, Time } from "./words.tsx";

export type LogEvent = Output<"GET /api/admin/search/events">["events"][number];

interface EventListProps {
  events: readonly LogEvent[];
  /** The one whose difference is shown. */
  opened?: number | undefined;
  onOpen?(id: number | undefined): void;
}

/** What happened, newest first; each opens as a difference of before and after. */
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

/** Nothing before is something made, nothing after something gone; nothing at all needs no more words. */
const Change = ({ event: { data, preData } }: { event: LogEvent }) =>
  data === null && preData === null ? (
    <Nothing>This event has no further details.</Nothing>
  ) : (
    <Differences before={preData} after={data} />
  );
