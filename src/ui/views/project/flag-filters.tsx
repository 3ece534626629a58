import { isFiltered } from "../../address.ts";
import { Button } from "../../parts/button.tsx";
import { choicesOf } from "../../parts/fields.tsx";
import { SearchField } from "../../parts/search.tsx";
import { Select } from "../../parts/select.tsx";
import { useRead } from "../../reads.ts";

/** The filters that narrow the list of flags. */
export const FLAG_FILTERS = { query: "", type: "", state: "", tag: "" };

/** The filters and sorting of the list of flags, as kept in its address. */
export const FILTERS = {
  ...FLAG_FILTERS,
  sortBy: "createdAt",
  sortOrder: "desc",
  offset: "0",
};

type Filters = typeof FILTERS;

/** The filters as the query of the server's search. */
export const queryOf = ({ query, type, state, tag, sortBy, sortOrder }: Filters) => ({
  query,
  type: type && `IS:${type}`,
  state: state && `IS:${state}`,
  tag: tag && `INCLUDE:${tag}`,
  sortBy,
  sortOrder,
  favoritesFirst: "true",
});

interface FlagFiltersProps {
  filters: Filters;
  onChange(changed: Partial<Filters>): void;
}

export function FlagFilters({ filters, onChange }: FlagFiltersProps) {
  const types = useRead("GET /api/admin/feature-types").data?.types ?? [];
  const tags = useRead("GET /api/admin/tags").data?.tags ?? [];
  const set = (changed: Partial<Filters>) => onChange({ ...changed, offset: "0" });
  return (
    <search class="filters">
      <SearchField label="Search flags" value={filters.query} onSearch={(query) => set({ query })} />
      <Select
        label="Type"
        value={filters.type}
        choices={types.map(({ id, name }) => [id, name] as const)}
        onChange={(type) => set({ type })}
      />
      <Select label="State" value={filters.state} choices={STATES} onChange={(state) => set({ state })} />
      {tags.length > 0 && (
        <Select
          label="Tag"
          value={filters.tag}
          choices={choicesOf(tags.map(({ type, value }) => `${type}:${value}`))}
          onChange={(tag) => set({ tag })}
        />
      )}
      {isFiltered(filters, FLAG_FILTERS) && <Button onClick={() => set(FLAG_FILTERS)}>Clear filters</Button>}
    </search>
  );
}

const STATES = [
  ["active", "active"],
  ["stale", "stale"],
] as const;
