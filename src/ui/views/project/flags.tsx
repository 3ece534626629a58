import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { flagPath, isFiltered, useFilters, useOffset } from "../../address.ts";
import type { Output } from "../../api.ts";
import { ColumnChoice, choose, chosen, tableChoices } from "../../parts/choices.tsx";
import { Switch } from "../../parts/controls.tsx";
import { FormDialog, Opener } from "../../parts/dialog.tsx";
import { check, choice, choicesOf, long, named, text } from "../../parts/fields.tsx";
import { Filter, Filters, Search } from "../../parts/filters.tsx";
import { later } from "../../parts/later.tsx";
import { requestPath } from "../../parts/requests.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Answer, Badge, FlagLink, Time } from "../../parts/words.tsx";
import { change, useRead } from "../../reads.ts";
import { may } from "../../session.ts";
import { switchFlag } from "../flag/frame.tsx";
import type { BulkBarProps } from "./bulk.tsx";
import { Favorite, inProject, PROJECT, type Project, type ProjectProps } from "./frame.tsx";

/** The filters that narrow a list of flags; the address of a project's own needs none by project. */
const NARROWING = { query: "", type: "", state: "", lifecycle: "", tag: "", project: "" };

const SORTING = { sortBy: "createdAt", sortOrder: "desc" } as const;

/** The flags of a project, each with a switch per environment; searched, sorted and paged by the server. */
export const Flags = inProject(
  ({ project, id }) => (
    <>
      {project.description && <p class="muted">{project.description}</p>}
      <FlagList
        project={id}
        columns={environmentsOf(project).map(inEnvironment)}
        bulk={
          (may("UPDATE_FEATURE", { project: id }) || may("DELETE_FEATURE", { project: id })) &&
          ((selected) => <BulkBar {...selected} project={id} environments={environmentsOf(project)} />)
        }
      />
    </>
  ),
  ({ project, id }) => (
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
  ),
);

const environmentsOf = ({ environments }: Project) => environments.map(({ environment }) => environment);

interface FlagListProps {
  /** That of all of them; empty for any. */
  project: string;
  /** A further filter. */
  filter?: ComponentChildren;
  /** Columns that are always shown, and those that can be left out, as can the `DETAILS`. */
  fixed?: ReadonlyArray<Column<FoundFlag>>;
  columns?: ReadonlyArray<Column<FoundFlag>>;
  /** What is shown for those that are selected; false if none can be. */
  bulk?:
    | ((selected: Pick<BulkBarProps, "features" | "onSelect" | "query" | "total">) => ComponentChildren)
    | false;
}

/** Flags with filters, searched, sorted and paged by the server. */
export function FlagList({ project, filter, fixed = [], columns = [], bulk = false }: FlagListProps) {
  const [filters] = useFilters({ ...NARROWING, ...SORTING });
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const { size } = tableChoices();
  const query = { ...queryOf(filters), project: project && `IS:${project}` };
  const read = useRead("GET /api/admin/search/features", {
    query: { ...query, offset: useOffset(), limit: size },
  });
  const choices = [...columns, ...DETAILS];
  return (
    <>
      <FlagFilters>
        {filter}
        <ColumnChoice titles={choices.map(([title]) => title)} />
      </FlagFilters>
      <Answer read={read}>
        {({ features, total }) => (
          <>
            <Table
              caption="Flags"
              rows={features}
              keyOf={({ name }) => name}
              empty={isFiltered(filters, NARROWING) ? "No flags match." : "No flags yet."}
              sorting={SORTING}
              page={{ size, total, onResize: (size) => choose({ size }) }}
              selection={bulk ? { selected, onSelect: setSelected } : undefined}
              columns={[
                ["Favorite", (flag) => <FavoriteFlag {...flag} />, "tools"],
                ["Flag", (flag) => <Name flag={flag} />, "main", "name"],
                ...fixed,
                ...chosen(choices),
              ]}
            />
            {bulk &&
              selected.size > 0 &&
              bulk({ features: [...selected], onSelect: setSelected, query, total })}
          </>
        )}
      </Answer>
    </>
  );
}

const FavoriteFlag = ({ project, name, favorite }: FoundFlag) => (
  <Favorite project={project} flag={name} label={`Favorite: ${name}`} isFavorite={favorite} />
);

function FlagFilters({ children }: { children: ComponentChildren }) {
  const types = useRead("GET /api/admin/feature-types").data?.types;
  const tags = useRead("GET /api/admin/tags").data?.tags ?? [];
  return (
    <Filters of={NARROWING}>
      <Search label="Search flags" />
      <Filter label="Type" name="type" choices={named(types)} />
      <Filter label="State" name="state" choices={choicesOf(["active", "stale"])} />
      <Filter label="Stage" name="lifecycle" choices={choicesOf(STAGES)} />
      <Filter label="Tag" name="tag" choices={choicesOf(tags.map(tagInWords))} />
      {children}
    </Filters>
  );
}

/** Of the life of a flag that is not archived. */
const STAGES = ["initial", "pre-live", "live", "completed"];

const tagInWords = ({ type, value }: { type: string; value: string }) => `${type}:${value}`;

type Found = typeof NARROWING & Record<keyof typeof SORTING, string>;

/** The filters as the query of the server's search. */
const queryOf = ({ query, type, state, lifecycle, tag, sortBy, sortOrder }: Found) => ({
  query,
  type: type && `IS:${type}`,
  state: state && `IS:${state}`,
  lifecycle: lifecycle && `IS:${lifecycle}`,
  tag: tag && `INCLUDE:${tag}`,
  sortBy,
  sortOrder,
  favoritesFirst: "true",
});

const BulkBar = later<BulkBarProps>(async () => (await import("./bulk.tsx")).BulkBar);
const Export = later(async () => (await import("./transfer.tsx")).ExportFlags);
const Import = later(async () => (await import("./transfer.tsx")).ImportFlags);

const inEnvironment = (environment: string): Column<FoundFlag> => [
  environment,
  (flag) => <InEnvironment flag={flag} environment={environment} />,
  "",
  `environment:${environment}`,
];

/** What there is to know of a flag besides its name and where it is on. */
const DETAILS: ReadonlyArray<Column<FoundFlag>> = [
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

const Name = ({ flag: { name, project, stale, tags = [], segments } }: { flag: FoundFlag }) => (
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

function NewFlag({ project, id }: ProjectProps) {
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
