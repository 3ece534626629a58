import { Link } from "wouter-preact";
import { Answer } from "../../parts/answer.tsx";
import { EventList } from "../../parts/events.tsx";
import { useRead } from "../../reads.ts";
import { FlagFrame } from "./flag-frame.tsx";

/** The latest events of a flag. */
export const View = () => <FlagFrame>{({ name }) => <Log feature={name} />}</FlagFrame>;

function Log({ feature }: { feature: string }) {
  const read = useRead("GET /api/admin/search/events", { query: { feature: `IS:${feature}`, limit: 50 } });
  return (
    <Answer read={read}>
      {({ events, total }) => (
        <>
          <EventList events={events} />
          {total > events.length && (
            <Link href={`/events?feature=${encodeURIComponent(feature)}`}>All {total} in the event log</Link>
          )}
        </>
      )}
    </Answer>
  );
}
