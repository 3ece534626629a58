import { useFilters, useOffset } from "../address.ts";
import { addressOf, request } from "../api.ts";
import { counted } from "../format.ts";
import { tell } from "../messages.ts";
import { Button } from "../parts/controls.tsx";
import { EventList } from "../parts/events.tsx";
import { named } from "../parts/fields.tsx";
import { saveFile } from "../parts/file.tsx";
import { DayFilter, Filter, Filters, NameFilter, Search } from "../parts/filters.tsx";
import { COUNTED, Histogram } from "../parts/histogram.tsx";
import { Pager } from "../parts/table.tsx";
import { CopyButton } from "../parts/tokens.tsx";
import { Answer, Heading } from "../parts/words.tsx";
import { useRead } from "../reads.ts";

/** Events per page. */
const PAGE = 50;

/** The filters, as kept in the address. */
const FILTERS = { query: "", type: "", project: "", feature: "", by: "", from: "", to: "" };

/** The event log, with search and filters; new events appear as they happen. */
export function EventLog() {
  const [filters, setFilters] = useFilters({ ...FILTERS, offset: "", open: "" });
  const query = queryOf(filters);
  const offset = useOffset();
  const read = useRead("GET /api/admin/search/events", { query: { ...query, offset, limit: PAGE } });
  return (
    <>
      <Heading title="Event log">
        <CopyButton label="Copy link" text={location.href} />
        <CopyButton label="Copy curl" text={toCurl(query)} />
        <Button onClick={() => download(query)} disabled={!read.data?.total}>
          Download JSONL
        </Button>
      </Heading>
      <LogFilters />
      <Histogram title="Events over time" query={query} onSelect={setFilters} />
      <Answer read={read} rows={PAGE}>
        {({ events, total }) => (
          <>
            <EventList
              events={events}
              opened={filters.open === "" ? -1 : Number(filters.open)}
              onOpen={(id) => setFilters({ offset: filters.offset, open: String(id ?? "") })}
            />
            <Pager
              size={PAGE}
              total={total}
              isMore={query.query !== "" && total > Math.max(COUNTED, offset + PAGE)}
            />
          </>
        )}
      </Answer>
    </>
  );
}

const exactly = (value: string) => value && `IS:${value}`;

/** The filters as the query of the server's search. */
const queryOf = ({ query, type, project, feature, by, from, to }: typeof FILTERS) => ({
  query,
  type: exactly(type),
  project: exactly(project),
  feature: exactly(feature),
  createdBy: exactly(by),
  from: exactly(from),
  to: exactly(to),
});

type Query = ReturnType<typeof queryOf>;

function LogFilters() {
  const projects = useRead("GET /api/admin/projects").data?.projects;
  const creators = useRead("GET /api/admin/event-creators").data ?? [];
  return (
    <Filters of={FILTERS}>
      <Search label="Search the log" />
      <Filter label="Project" name="project" choices={named(projects)} />
      <Filter label="User" name="by" choices={creators.map(({ id, name }) => [String(id), name])} />
      <NameFilter label="Flag" name="feature" />
      <NameFilter label="Type" name="type" />
      <span class="actions">
        <DayFilter label="From" name="from" />
        <DayFilter label="To" name="to" />
      </span>
    </Filters>
  );
}

/** The search as a curl command. */
const toCurl = (query: Query) => {
  const address = new URL(addressOf("GET /api/admin/search/events", { query }), document.baseURI);
  return `curl -H "Authorization: $TOKEN" '${address.href.replaceAll("'", "%27")}'`;
};

/** Events per request of a download. */
const AT_ONCE = 1000;

/** Events per file, which is built in memory; for more, use the API. */
const LIMIT = 50_000;

async function download(query: Query) {
  const lines: string[] = [];
  for (let offset = 0; offset < LIMIT; offset += AT_ONCE) {
    const { events } = await request("GET /api/admin/search/events", {
      query: { ...query, offset, limit: AT_ONCE },
    });
    lines.push(...events.map((event) => `${JSON.stringify(event)}\n`));
    if (events.length < AT_ONCE) break;
  }
  saveFile(new Blob(lines, { type: "application/jsonl" }), "events.jsonl");
  tell(`Downloaded ${counted(lines.length, "event")}${lines.length === LIMIT ? ", the newest ones" : ""}`);
}
