import { useFilters } from "../../address.ts";
import { Answer } from "../../parts/answer.tsx";
import { EventList } from "../../parts/events.tsx";
import { Pager } from "../../parts/table.tsx";
import { Heading } from "../../parts/words.tsx";
import { useRead } from "../../reads.ts";
import { LogExport } from "./log-export.tsx";
import { FILTERS, LogFilters, queryOf } from "./log-filters.tsx";

const PAGE = 50;

/** The event log, with search and filters; new events appear as they happen. */
export function View() {
  const [filters, setFilters] = useFilters({ ...FILTERS, offset: "0", open: "" });
  const query = queryOf(filters);
  const offset = Number(filters.offset) || 0;
  const read = useRead("GET /api/admin/search/events", { query: { ...query, offset, limit: PAGE } });
  return (
    <>
      <Heading title="Event log">
        <LogExport query={query} total={read.data?.total ?? 0} />
      </Heading>
      <LogFilters
        filters={filters}
        onChange={(changed) => setFilters({ ...changed, offset: "0", open: "" })}
      />
      <Answer read={read}>
        {({ events, total }) => (
          <>
            <EventList
              events={events}
              opened={filters.open === "" ? -1 : Number(filters.open)}
              onOpen={(id) => setFilters({ open: id === undefined ? "" : String(id) })}
            />
            <Pager
              offset={offset}
              limit={PAGE}
              total={total}
              onMove={(offset) => setFilters({ offset: String(offset), open: "" })}
            />
          </>
        )}
      </Answer>
    </>
  );
}
