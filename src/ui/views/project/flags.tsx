import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { flagPath, isFiltered, useFilters } from "../../address.ts";
import type { Output } from "../../api.ts";
import { ColumnChoice, choose, chosen, tableChoices } from "../../parts/choices.tsx";
import { Button, Switch } from "../../parts/controls.tsx";
import { FormDialog, Opener } from "../../parts/dialog.tsx";
import { check, choice, choicesOf, long, named, text } from "../../parts/fields.tsx";
import { later } from "../../parts/later.tsx";
import { requestPath } from "../../parts/requests.tsx";
import { type Column, Filter, Pager, Search, Table } from "../../parts/table.tsx";
import { Answer, Badge, FlagLink, Time } from "../../parts/words.tsx";
import { change, useRead } from "../../reads.ts";
import { may } from "../../session.ts";
import { switchFlag } from "../flag/frame.tsx";
import type { BulkBarProps } from "./bulk.tsx";
import { Favorite, PROJECT, type Project, ProjectFrame } from "./frame.tsx";

/** The filters that narrow the list. */
export const NARROWING = { query: "", type: "", state: "", lifecycle: "", tag: "" };

/** The filters and sorting, as kept in the address. */
export const FILTERS = { ...NARROWING, sortBy: "createdAt", sortOrder: "desc", offset: "0" };

type Filters = typeof FILTERS;

/** The flags of a project, each with a switch per environment; searched, sorted and paged by the server. */
export function Flags() {
  const [filters, setFilters] = useFilters(FILTERS);
  const actions = (project: Project, id: string) => (
    <>
      <Opener label="Export" parameter="export">
        <Export project={id} environments={environmentsOf(project)} />
      </Opener>
      <Opener isAllowed={may("CREATE_FEATURE", { project: id })} label="Import" parameter="import">
        <Import project={id} environments={environmentsOf(project)} />
      </Opener>
      <Opener
        isAllowed={may("CREATE_FEATURE", { project: id })}
        label="New flag"
        kind="main"
        icon="add"
        parameter="new"
      >
        <NewFlag project={project} id={id} />
      </Opener>
    </>
  );
  return (
    <ProjectFrame actions={actions}>
      {(project, id) => (
        <>
          {project.description && <p class="muted">{project.description}</p>}
          <FlagFilters filters={filters} onChange={(changed) => setFilters({ ...changed, offset: "0" })}>
            <ColumnChoice titles={[...environmentsOf(project), ...DETAILS.map(([title]) => title)]} />
          </FlagFilters>
          <FlagTable project={project} id={id} filters={filters} onChange={setFilters} />
        </>
      )}
    </ProjectFrame>
  );
}

const environmentsOf = ({ environments }: Project) => environments.map(({ environment }) => environment);

interface FiltersProps {
  filters: Filters;
  onChange(changed: Partial<Filters>): void;
}

/** @param children more filters */
export function FlagFilters({
  filters,
  onChange,
  children,
}: FiltersProps & { children?: ComponentChildren }) {
  const types = useRead("GET /api/admin/feature-types").data?.types;
  const tags = useRead("GET /api/admin/tags").data?.tags ?? [];
  const bind = (name: keyof Filters) => ({
    value: filters[name],
    onChange: (value: string) => onChange({ [name]: value }),
  });
  return (
    <search class="filters">
      <Search label="Search flags" {...bind("query")} />
      <Filter label="Type" choices={named(types)} {...bind("type")} />
      <Filter label="State" choices={choicesOf(["active", "stale"])} {...bind("state")} />
      <Filter label="Stage" choices={choicesOf(STAGES)} {...bind("lifecycle")} />
      <Filter label="Tag" choices={choicesOf(tags.map(tagInWords))} {...bind("tag")} />
      {children}
      {isFiltered(filters, NARROWING) && <Button onClick={() => onChange(NARROWING)}>Clear filters</Button>}
    </search>
  );
}

/** Of the life of a flag that is not archived. */
const STAGES = ["initial", "pre-live", "live", "completed"];

const tagInWords = ({ type, value }: { type: string; value: string }) => `${type}:${value}`;

/** Sorting by a column leads back to the first page. */
export const sortingOf = ({ sortBy, sortOrder }: Filters, onChange: FiltersProps["onChange"]) => ({
  by: sortBy,
  order: sortOrder === "desc" ? ("desc" as const) : ("asc" as const),
  onSort: (sortBy: string, sortOrder: string) => onChange({ sortBy, sortOrder, offset: "0" }),
});

/** The filters as the query of the server's search. */
export const queryOf = ({ query, type, state, lifecycle, tag, sortBy, sortOrder }: Filters) => ({
  query,
  type: type && `IS:${type}`,
  state: state && `IS:${state}`,
  lifecycle: lifecycle && `IS:${lifecycle}`,
  tag: tag && `INCLUDE:${tag}`,
  sortBy,
  sortOrder,
  favoritesFirst: "true",
});

interface FlagTableProps extends FiltersProps {
  project: Project;
  id: string;
}

function FlagTable({ project, id, filters, onChange }: FlagTableProps) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const { size } = tableChoices();
  const offset = Number(filters.offset) || 0;
  const query = { ...queryOf(filters), project: `IS:${id}` };
  const read = useRead("GET /api/admin/search/features", { query: { ...query, offset, limit: size } });
  const environments = environmentsOf(project);
  const canSelect = may("UPDATE_FEATURE", { project: id }) || may("DELETE_FEATURE", { project: id });
  return (
    <Answer read={read}>
      {({ features, total }) => (
        <>
          <Table
            caption="Flags"
            rows={features}
            keyOf={({ name }) => name}
            empty={isFiltered(filters, NARROWING) ? "No flags match." : "No flags yet."}
            sorting={sortingOf(filters, onChange)}
            selection={canSelect ? { selected, onSelect: setSelected } : undefined}
            columns={[
              [
                "Favorite",
                ({ name, favorite }) => (
                  <Favorite project={id} flag={name} label={`Favorite: ${name}`} isFavorite={favorite} />
                ),
                "tools",
              ],
              ["Flag", (flag) => <Name flag={flag} />, "main", "name"],
              ...chosen([...environments.map(inEnvironment), ...DETAILS]),
            ]}
          />
          <FlagPager offset={offset} total={total} onChange={onChange} />
          {selected.size > 0 && (
            <BulkBar
              project={id}
              environments={environments}
              features={[...selected]}
              onSelect={setSelected}
              query={query}
              total={total}
            />
          )}
        </>
      )}
    </Answer>
  );
}

const BulkBar = later<BulkBarProps>(async () => (await import("./bulk.tsx")).BulkBar);
const Export = later(async () => (await import("./transfer.tsx")).ExportFlags);
const Import = later(async () => (await import("./transfer.tsx")).ImportFlags);

/** Its buttons lead to another page; more rows to a page lead back to the first one. */
export function FlagPager({
  onChange,
  ...range
}: { offset: number; total: number } & Pick<FiltersProps, "onChange">) {
  const resize = (size: number) => {
    choose({ size });
    onChange({ offset: "0" });
  };
  const move = (offset: number) => onChange({ offset: String(offset) });
  return <Pager {...range} limit={tableChoices().size} onMove={move} onResize={resize} />;
}

const inEnvironment = (environment: string): Column<FoundFlag> => [
  environment,
  (flag) => <InEnvironment flag={flag} environment={environment} />,
  "",
  `environment:${environment}`,
];

/** What there is to know of a flag besides its name and where it is on. */
export const DETAILS: ReadonlyArray<Column<FoundFlag>> = [
  ["Type", ({ type }) => type, "", "type"],
  ["Stage", ({ lifecycle }) => lifecycle && <Stage {...lifecycle} />],
  ["Last seen", ({ lastSeenAt }) => <Time at={lastSeenAt} />, "", "lastSeenAt"],
  ["Created", ({ createdAt }) => <Time at={createdAt} />, "", "createdAt"],
  ["Created by", ({ createdBy }) => <bdi>{createdBy.name}</bdi>],
];

const Stage = ({ stage, enteredStageAt }: NonNullable<FoundFlag["lifecycle"]>) => (
  <>
    {stage}{" "}
    <small>
      since <Time at={enteredStageAt} />
    </small>
  </>
);

export type FoundFlag = Output<"GET /api/admin/search/features">["features"][number];

export const Name = ({ flag: { name, project, stale, tags = [], segments } }: { flag: FoundFlag }) => (
  <>
    <FlagLink project={project} name={name} /> {stale && <Badge tone="bad">stale</Badge>}{" "}
    {tags.map((tag) => (
      <Badge key={tagInWords(tag)}>
        <bdi>{tagInWords(tag)}</bdi>
      </Badge>
    ))}
    {segments.length > 0 && <small> in {segments.join(", ")}</small>}
  </>
);

function InEnvironment({ flag, environment }: { flag: FoundFlag; environment: string }) {
  const state = flag.environments.find(({ name }) => name === environment);
  const place = { project: flag.project, feature: flag.name, environment };
  return state ? (
    <>
      <Switch
        isOn={state.enabled}
        label={`${flag.name} in ${environment}`}
        disabled={!may("UPDATE_FEATURE_ENVIRONMENT", place)}
        onChange={(isOn) => switchFlag(place, isOn)}
      />{" "}
      {state.changeRequestIds?.map((id) => (
        <Link key={id} class="proposal" href={requestPath(flag.project, id)} title={`Change request #${id}`}>
          #{id}
        </Link>
      ))}
    </>
  ) : null;
}

const EMPTY = { name: "", type: "release", description: "", impressionData: false };

function NewFlag({ project, id }: { project: Project; id: string }) {
  const types = useRead("GET /api/admin/feature-types").data?.types ?? [];
  const { pattern, example } = project.featureNaming;
  const naming = pattern
    ? `Must match ${pattern}${example ? `, such as ${example}` : ""}.`
    : "Code refers to the flag by this name, so it can't be changed later.";
  return (
    <FormDialog
      title="New flag"
      initial={EMPTY}
      fields={({ values }) => ({
        name: text("Name", { hint: naming, required: true }),
        type: choice("Type", named(types), { hint: types.find(({ id }) => id === values.type)?.description }),
        description: long("Description"),
        impressionData: check("Impression data: SDKs emit an event for each evaluation"),
      })}
      submit="Create the flag"
      send={(body) => change(`POST ${PROJECT}/features`, { params: { projectId: id }, body })}
      leadsTo={({ name }) => flagPath(id, name)}
    />
  );
}
