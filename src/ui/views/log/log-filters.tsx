import { isFiltered } from "../../address.ts";
import { Button } from "../../parts/button.tsx";
import { SearchField } from "../../parts/search.tsx";
import { Select } from "../../parts/select.tsx";
import { useRead } from "../../reads.ts";

/** What the log is filtered by, in its address. */
export const FILTERS = { query: "", type: "", project: "", feature: "", by: "", from: "", to: "" };

type Filters = typeof FILTERS;

const is = (value: string) => value && `IS:${value}`;

/** The same as the server's search takes it. */
export const queryOf = ({ query, type, project, feature, by, from, to }: Filters) => ({
  query,
  type: is(type),
  project: is(project),
  feature: is(feature),
  createdBy: is(by),
  from: is(from),
  to: is(to),
});

interface LogFiltersProps {
  filters: Filters;
  onChange(changed: Partial<Filters>): void;
}

export function LogFilters({ filters, onChange }: LogFiltersProps) {
  const projects = useRead("GET /api/admin/projects").data?.projects ?? [];
  const creators = useRead("GET /api/admin/event-creators").data ?? [];
  return (
    <search class="filters">
      <SearchField label="Search the log" value={filters.query} onSearch={(query) => onChange({ query })} />
      <Select
        label="Project"
        value={filters.project}
        choices={projects.map(({ id, name }) => [id, name] as const)}
        onChange={(project) => onChange({ project })}
      />
      <Select
        label="User"
        value={filters.by}
        choices={creators.map(({ id, name }) => [String(id), name] as const)}
        onChange={(by) => onChange({ by })}
      />
      <Word label="Flag" value={filters.feature} onChange={(feature) => onChange({ feature })} />
      <Word label="Type" value={filters.type} onChange={(type) => onChange({ type })} />
      <Day label="From" value={filters.from} onChange={(from) => onChange({ from })} />
      <Day label="To" value={filters.to} onChange={(to) => onChange({ to })} />
      {isFiltered(filters, FILTERS) && <Button onClick={() => onChange(FILTERS)}>Clear filters</Button>}
    </search>
  );
}

interface OneProps {
  label: string;
  value: string;
  onChange(value: string): void;
}

/** A name, which is looked for when it is whole. */
const Word = ({ label, value, onChange }: OneProps) => (
  <input
    aria-label={label}
    placeholder={`${label}: any`}
    value={value}
    onChange={(event) => onChange(event.currentTarget.value.trim())}
  />
);

/** What is no day in the address is shown as none. */
const Day = ({ label, value, onChange }: OneProps) => (
  <label>
    {label}{" "}
    <input
      type="date"
      value={DAY.test(value) ? value : ""}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  </label>
);

const DAY = /^\d{4}-\d\d-\d\d$/;
