import { Link } from "wouter-preact";
import { pathTo } from "../../address.ts";
import type { Output } from "../../api.ts";
import { IconButton, Switch } from "../../parts/button.tsx";
import { type Selection, type Sorting, Table } from "../../parts/table.tsx";
import { Badge, Time } from "../../parts/words.tsx";
import { change } from "../../reads.ts";
import { may } from "../../session.ts";
import { switchFlag } from "../flag/switch-flag.ts";

export type FoundFlag = Output<"GET /api/admin/search/features">["features"][number];

interface FlagTableProps {
  project: string;
  environments: readonly string[];
  features: readonly FoundFlag[];
  /** Shown if there are no flags. */
  empty: string;
  sorting: Sorting;
  selection: Selection | undefined;
}

export const FlagTable = ({ project, environments, features, empty, sorting, selection }: FlagTableProps) => (
  <Table
    caption="Flags"
    rows={features}
    keyOf={({ name }) => name}
    empty={empty}
    sorting={sorting}
    {...(selection && { selection })}
    columns={[
      { title: "Favorite", kind: "tools", cell: (flag) => <Favorite flag={flag} /> },
      { title: "Flag", kind: "main", sortBy: "name", cell: (flag) => <Name flag={flag} /> },
      ...environments.map((environment) => ({
        title: environment,
        sortBy: `environment:${environment}`,
        cell: (flag: FoundFlag) => <InEnvironment flag={flag} project={project} environment={environment} />,
      })),
      { title: "Type", sortBy: "type", cell: ({ type }) => type },
      { title: "Last seen", sortBy: "lastSeenAt", cell: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
      { title: "Created", sortBy: "createdAt", cell: ({ createdAt }) => <Time at={createdAt} /> },
    ]}
  />
);

const Favorite = ({ flag: { name, project, favorite } }: { flag: FoundFlag }) => (
  <IconButton
    icon="star"
    label={`Favorite: ${name}`}
    isPressed={favorite}
    onClick={() =>
      change(
        `${favorite ? "DELETE" : "POST"} /api/admin/projects/:projectId/features/:featureName/favorites`,
        { params: { projectId: project, featureName: name } },
      )
    }
  />
);

const Name = ({ flag: { name, project, stale, tags = [], segments } }: { flag: FoundFlag }) => (
  <>
    <Link href={pathTo("projects", project, "features", name)}>
      <bdi>{name}</bdi>
    </Link>{" "}
    {stale && <Badge tone="bad">stale</Badge>}{" "}
    {tags.map(({ type, value }) => (
      <Badge key={`${type}:${value}`}>
        <bdi>
          {type}:{value}
        </bdi>
      </Badge>
    ))}
    {segments.length > 0 && <small> in {segments.join(", ")}</small>}
  </>
);

interface InEnvironmentProps {
  flag: FoundFlag;
  project: string;
  environment: string;
}

function InEnvironment({ flag, project, environment }: InEnvironmentProps) {
  const state = flag.environments.find(({ name }) => name === environment);
  if (!state) return null;
  return (
    <Switch
      isOn={state.enabled}
      label={`${flag.name} in ${environment}`}
      disabled={!may("UPDATE_FEATURE_ENVIRONMENT", { project, environment })}
      onChange={(isOn) => switchFlag({ project, feature: flag.name, environment }, isOn)}
    />
  );
}
