import { isFiltered, useFilters } from "../address.ts";
import { listed } from "../format.ts";
import { ColumnChoice, chosen, tableChoices } from "../parts/choices.tsx";
import { named } from "../parts/fields.tsx";
import { Filter, Table } from "../parts/table.tsx";
import { Answer, Badge, Heading, ProjectLink } from "../parts/words.tsx";
import { useRead } from "../reads.ts";
import {
  DETAILS,
  FILTERS,
  FlagFilters,
  FlagPager,
  type FoundFlag,
  NARROWING,
  Name,
  queryOf,
  sortingOf,
} from "./project/flags.tsx";
import { Favorite } from "./project/frame.tsx";

const ALL_FILTERS = { ...FILTERS, project: "" };

/** The flags of all projects that the user can see. */
export function AllFlags() {
  const [filters, setFilters] = useFilters(ALL_FILTERS);
  const { projects = [] } = useRead("GET /api/admin/projects").data ?? {};
  const { project } = filters;
  const offset = Number(filters.offset) || 0;
  const read = useRead("GET /api/admin/search/features", {
    query: { ...queryOf(filters), project: project && `IS:${project}`, offset, limit: tableChoices().size },
  });
  const narrow = (changed: Partial<typeof filters>) => setFilters({ ...changed, offset: "0" });
  return (
    <>
      <Heading title="Flags" />
      <FlagFilters filters={filters} onChange={narrow}>
        <Filter
          label="Project"
          value={project}
          choices={named(projects)}
          onChange={(project) => narrow({ project })}
        />
        <ColumnChoice titles={DETAILS.map(([title]) => title)} />
      </FlagFilters>
      <Answer read={read}>
        {({ features, total }) => (
          <>
            <Table
              caption="Flags"
              rows={features}
              keyOf={({ name }) => name}
              empty={isFiltered(filters, { ...NARROWING, project: "" }) ? "No flags match." : "No flags yet."}
              sorting={sortingOf(filters, narrow)}
              columns={[
                [
                  "Favorite",
                  ({ project, name, favorite }) => (
                    <Favorite
                      project={project}
                      flag={name}
                      label={`Favorite: ${name}`}
                      isFavorite={favorite}
                    />
                  ),
                  "tools",
                ],
                ["Flag", (flag) => <Name flag={flag} />, "main", "name"],
                ["Project", ({ project }) => <ProjectLink id={project} name={nameIn(projects, project)} />],
                ["State", (flag) => <State flag={flag} />],
                ...chosen(DETAILS),
              ]}
            />
            <FlagPager offset={offset} total={total} onChange={setFilters} />
          </>
        )}
      </Answer>
    </>
  );
}

const nameIn = (projects: ReadonlyArray<{ id: string; name: string }>, project: string) =>
  projects.find(({ id }) => id === project)?.name ?? project;

/** The environments in which a flag is on: each project has its own. */
function State({ flag: { environments } }: { flag: FoundFlag }) {
  const on = environments.filter(({ enabled }) => enabled).map(({ name }) => name);
  return on.length === 0 ? (
    <Badge>off</Badge>
  ) : (
    <>
      <Badge tone="good">on</Badge> <small>in {listed(on)}</small>
    </>
  );
}
