import { isFiltered, useFilters } from "../address.ts";
import { addressOf, request } from "../api.ts";
import { counted } from "../format.ts";
import { Button, tell } from "../parts/controls.tsx";
import { EventList } from "../parts/events.tsx";
import { named } from "../parts/fields.tsx";
import { saveFile } from "../parts/file.tsx";
import { COUNTED, Histogram } from "../parts/histogram.tsx";
import { Filter, type FilterProps, Pager, Search } from "../parts/table.tsx";
import { CopyButton } from "../parts/tokens.tsx";
import { Answer, Heading } from "../parts/words.tsx";
import { useRead } from "../reads.ts";

/** Events per page. */
const PAGE = 50;

/** The filters, as kept in the address. */
const FILTERS = { query: "", type: "", project: "", feature: "", by: "", from: "", to: "" };

type Filters = typeof FILTERS;

/** The event log, with search and filters; new events appear as they happen. */
export function EventLog() {
  const [filters, setFilters] = useFilters({ ...FILTERS, offset: "0", open: "" });
  const query = queryOf(filters);
  const offset = Number(filters.offset) || 0;
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
      <LogFilters
        filters={filters}
        onChange={(changed) => setFilters({ ...changed, offset: "0", open: "" })}
      />
      <Histogram
        title="Events over time"
        query={query}
        onSelect={(days) => setFilters({ ...days, offset: "0", open: "" })}
      />
      <Answer read={read} rows={PAGE}>
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
              isMore={query.query !== "" && total > Math.max(COUNTED, offset + PAGE)}
              onMove={(offset) => setFilters({ offset: String(offset), open: "" })}
            />
          </>
        )}
      </Answer>
    </>
  );
}

const exactly = (value: string) => value && `IS:${value}`;

/** The filters as the query of the server's search. */
const queryOf = ({ query, type, project, feature, by, from, to }: Filters) => ({
  query,
  type: exactly(type),
  project: exactly(project),
  feature: exactly(feature),
  createdBy: exactly(by),
  from: exactly(from),
  to: exactly(to),
});

type Query = ReturnType<typeof queryOf>;

function LogFilters({ filters, onChange }: { filters: Filters; onChange(changed: Partial<Filters>): void }) {
  const projects = useRead("GET /api/admin/projects").data?.projects;
  const creators = useRead("GET /api/admin/event-creators").data ?? [];
  const bind = (name: keyof Filters) => ({
    value: filters[name],
    onChange: (value: string) => onChange({ [name]: value }),
  });
  return (
    <search class="filters">
      <Search label="Search the log" {...bind("query")} />
      <Filter label="Project" choices={named(projects)} {...bind("project")} />
      <Filter label="User" choices={creators.map(({ id, name }) => [String(id), name])} {...bind("by")} />
      <NameFilter label="Flag" {...bind("feature")} />
      <NameFilter label="Type" {...bind("type")} />
      <span class="actions">
        <DayFilter label="From" {...bind("from")} />
        <DayFilter label="To" {...bind("to")} />
      </span>
      {isFiltered(filters, FILTERS) && <Button onClick={() => onChange(FILTERS)}>Clear filters</Button>}
    </search>
  );
}

/** A filter by an exact name, applied once it has been typed. */
const NameFilter = ({ label, value, onChange }: FilterProps) => (
  <input
    aria-label={label}
    placeholder={`${label}: any`}
    value={value}
    onChange={(event) => onChange(event.currentTarget.value.trim())}
  />
);

const DAY = /^\d{4}-\d\d-\d\d$/;

/** Shown empty if the address holds no valid day. */
const DayFilter = ({ label, value, onChange }: FilterProps) => (
  <label>
    {label}{" "}
    <input
      type="date"
      value={DAY.test(value) ? value : ""}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  </label>
);

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
