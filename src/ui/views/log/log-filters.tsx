import { isFiltered } from "../../address.ts";
import { Button } from "../../parts/button.tsx";
import { SearchField } from "../../parts/search.tsx";
import { Select } from "../../parts/select.tsx";
import { useRead } from "../../reads.ts";

/** The filters of the log, as kept in its address. */
export const FILTERS = { query: "", type: "", project: "", feature: "", by: "", from: "", to: "" };

type Filters = typeof FILTERS;

const exactly = (value: string) => value && `IS:${value}`;

/** The filters as the query of the server's search. */
export const queryOf = ({ query, type, project, feature, by, from, to }: Filters) => ({
  query,
  type: exactly(type),
  project: exactly(project),
  feature: exactly(feature),
  createdBy: exactly(by),
  from: exactly(from),
  to: exactly(to),
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
      <NameFilter label="Flag" value={filters.feature} onChange={(feature) => onChange({ feature })} />
      <NameFilter label="Type" value={filters.type} onChange={(type) => onChange({ type })} />
      <span class="actions">
        <DayFilter label="From" value={filters.from} onChange={(from) => onChange({ from })} />
        <DayFilter label="To" value={filters.to} onChange={(to) => onChange({ to })} />
      </span>
      {isFiltered(filters, FILTERS) && <Button onClick={() => onChange(FILTERS)}>Clear filters</Button>}
    </search>
  );
}

interface FilterProps {
  label: string;
  value: string;
  onChange(value: string): void;
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

const DAY = /^\d{4}-\d\d-\d\d$/;
