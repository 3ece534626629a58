import { Link } from "wouter-preact";
import { pathTo, useFilters, useNameInPath, useOffset } from "../address.ts";
import type { Output } from "../api.ts";
import { count, counted } from "../format.ts";
import { ConfirmButton, Opener } from "../parts/dialog.tsx";
import { Editor } from "../parts/edit.tsx";
import { long, text, valuesOf } from "../parts/fields.tsx";
import { Search } from "../parts/filters.tsx";
import { Table, TableSection } from "../parts/table.tsx";
import { type Tile, Tiles } from "../parts/tiles.tsx";
import { Answer, Badge, FlagLink, Heading, NameLink, ProjectLink, Time } from "../parts/words.tsx";
import { change, useRead } from "../reads.ts";
import { may } from "../session.ts";
import { WebLink } from "./flag/links.tsx";
import { UnknownFlags } from "./unknown-flags.tsx";

const LIST = "/api/admin/metrics/applications";
const APPLICATION = `${LIST}/:appName` as const;

const PAGE = 50;

const SORTING = { sortBy: "appName", sortOrder: "asc" } as const;

/** What asks for flags: where, and what is wrong with it. */
export function Applications() {
  const [{ query, sortOrder }] = useFilters({ query: "", ...SORTING });
  const read = useRead(`GET ${LIST}`, { query: { query, sortOrder, offset: useOffset(), limit: PAGE } });
  const problems = useProblems();
  return (
    <>
      <Heading title="Applications">
        <Search label="Search applications" />
      </Heading>
      <Answer read={read}>
        {({ applications, total }) => (
          <Table
            caption="Applications"
            rows={applications}
            keyOf={({ appName }) => appName}
            empty={query ? "No applications match." : <NoneYet />}
            sorting={SORTING}
            page={{ size: PAGE, total }}
            columns={[
              ["Application", (application) => <Named {...application} />, "main", "appName"],
              ["Project and environments", ({ usage }) => <Usage usage={usage} />],
              ["Last start", ({ updatedAt }) => <Time at={updatedAt} />],
              ["To look at", ({ appName }) => <Names names={problems(appName)} />],
            ]}
          />
        )}
      </Answer>
      <UnknownFlags />
    </>
  );
}

const NoneYet = () => (
  <>
    No application has asked for a flag yet. <Link href="/connect">Connect one</Link>
  </>
);

const Named = ({ appName, description }: { appName: string; description: string | null }) => (
  <>
    <NameLink to={pathTo("applications", appName)}>{appName}</NameLink>
    {description && (
      <small class="line">
        <bdi>{description}</bdi>
      </small>
    )}
  </>
);

type Listed = Output<`GET ${typeof LIST}`>["applications"][number];

const Usage = ({ usage }: Pick<Listed, "usage">) => (
  <>
    {usage.map(({ project, environments }) => (
      <span key={project} class="line">
        {project === "*" ? "all projects" : <ProjectLink id={project} name={project} />}{" "}
        {environments.map((environment) => (
          <Badge key={environment}>{environment === "*" ? "all" : environment}</Badge>
        ))}
      </span>
    ))}
  </>
);

/** What is wrong with each application, as far as one request tells it for all. */
function useProblems() {
  const sdks = useRead("GET /api/admin/metrics/sdks/outdated").data?.sdks ?? [];
  const unknown = useRead("GET /api/admin/metrics/unknown-flags").data?.unknownFlags ?? [];
  return (name: string) => {
    const asked = unknown.filter(({ reports }) => reports.some(({ appName }) => appName === name));
    return [
      ...(sdks.some(({ applications }) => applications.includes(name)) ? ["outdated SDK"] : []),
      ...(asked.length > 0 ? [counted(asked.length, "unknown flag")] : []),
    ];
  };
}

type Details = Output<`GET ${typeof APPLICATION}`>;
type Overview = Output<`GET ${typeof APPLICATION}/overview`>;

/** One application: where it runs, the flags it uses, and what is wrong with it. */
export function Application() {
  const appName = useNameInPath();
  const details = useRead(`GET ${APPLICATION}`, { params: { appName } });
  const overview = useRead(`GET ${APPLICATION}/overview`, { params: { appName } });
  return (
    <Answer key={appName} read={details}>
      {(application) => (
        <>
          <Heading title={<bdi>{application.appName}</bdi>} trail={[["/applications", "Applications"]]}>
            {may("UPDATE_APPLICATION") && <Actions {...application} />}
          </Heading>
          <About {...application} />
          <Answer read={overview}>
            {(overview) => (
              <>
                <Tiles tiles={tilesOf(application, overview)} />
                <Problems {...overview} />
                <Places {...overview} />
              </>
            )}
          </Answer>
          <UsedFlags {...application} />
          <Instances {...application} />
        </>
      )}
    </Answer>
  );
}

function Actions({ appName }: Details) {
  const params = { appName };
  return (
    <>
      <Opener label="Edit" icon="edit" parameter="edit">
        <Editor
          title={`Application ${appName}`}
          of={[`GET ${APPLICATION}`, { params }]}
          toValues={(now) => valuesOf(now, { description: "", url: "" })}
          fields={() => ({ description: long("Description"), url: text("Address") })}
          update={(body, ifStill) => change(`POST ${APPLICATION}`, { params, body, ifStill })}
          submit="Save"
        />
      </Opener>
      <ConfirmButton
        label="Delete"
        icon="remove"
        kind="danger"
        parameter="remove"
        title={`Delete ${appName}?`}
        action="Delete the application"
        onConfirm={() => change(`DELETE ${APPLICATION}`, { params })}
        leadsTo="/applications"
      >
        It is no longer listed, nor are its instances. If it still runs, it comes back by itself.
      </ConfirmButton>
    </>
  );
}

const About = ({ description, url, strategies, createdAt }: Details) => (
  <>
    {description && (
      <p>
        <bdi>{description}</bdi>
      </p>
    )}
    <p class="muted">
      {url && (
        <bdi>
          <WebLink url={url} />.{" "}
        </bdi>
      )}
      {strategies.length > 0 && `Knows the strategies ${strategies.map(({ name }) => name).join(", ")}. `}
      First seen <Time at={createdAt} />.
    </p>
  </>
);

const tilesOf = ({ seenToggles }: Details, { projects, environments }: Overview): Tile[] => [
  ["Projects", projects.length],
  ["Environments", environments.length],
  ["Flags within a day", count(seenToggles.length)],
  ["Instances within a day", count(environments.reduce((sum, { instanceCount }) => sum + instanceCount, 0))],
];

/** What is wrong, each with what to do about it. */
function Problems({ environments, issues }: Overview) {
  const missing = distinct(environments.flatMap(({ issues }) => issues.missingFeatures));
  const outdated = distinct(environments.flatMap(({ issues }) => issues.outdatedSdks));
  const problems = [
    ["Flags that don't exist: to this application, they are off.", missing],
    ["Outdated SDKs: update them, or newer kinds of constraints may not work.", outdated],
    [
      "Strategies that this server doesn't have: create them, or remove them there.",
      issues.missingStrategies,
    ],
  ] as const;
  const shown = problems.filter(([, what]) => what.length > 0);
  if (shown.length === 0) return null;
  return (
    <section>
      <h2>To look at</h2>
      <ul>
        {shown.map(([problem, names]) => (
          <li key={problem}>
            {problem} <Names names={names} />
          </li>
        ))}
      </ul>
    </section>
  );
}

const distinct = (names: readonly string[]) => [...new Set(names)];

const Names = ({ names }: { names: readonly string[] }) => (
  <>
    {names.map((name) => (
      <span key={name}>
        <Badge tone="bad">
          <bdi>{name}</bdi>
        </Badge>{" "}
      </span>
    ))}
  </>
);

const Places = ({ environments }: Overview) => (
  <div class="environments">
    {environments.map(({ name, instanceCount, sdks, lastSeen, issues }) => (
      <section key={name} class="environment" aria-label={name}>
        <header>
          <h2>
            <bdi>{name}</bdi>
          </h2>
          <Time at={lastSeen} />
        </header>
        <p>{counted(instanceCount, "instance")}</p>
        <ul class="plain">
          {sdks.map((sdk) => (
            <li key={sdk}>
              <bdi>{sdk}</bdi> {issues.outdatedSdks.includes(sdk) && <Badge tone="bad">outdated</Badge>}
            </li>
          ))}
        </ul>
      </section>
    ))}
  </div>
);

type Used = Details["seenToggles"][number];

const UsedFlags = ({ seenToggles }: Details) => (
  <TableSection
    title="Flags"
    caption="Flags it has asked for within a day"
    rows={seenToggles as readonly Used[]}
    keyOf={({ name }) => name}
    empty="It has asked for no flag within a day."
    columns={[
      ["Flag", (flag) => <UsedFlag flag={flag} />, "main"],
      ["Project", (flag) => "project" in flag && <ProjectLink id={flag.project} name={flag.project} />],
      ["Type", (flag) => "type" in flag && flag.type],
      ["Created", (flag) => "createdAt" in flag && <Time at={flag.createdAt} />],
    ]}
  />
);

const UsedFlag = ({ flag }: { flag: Used }) =>
  "notFound" in flag ? (
    <>
      <bdi>{flag.name}</bdi> <Badge tone="bad">doesn't exist</Badge>
    </>
  ) : (
    <>
      <FlagLink project={flag.project} name={flag.name} />{" "}
      {flag.archived && <Badge tone="bad">archived</Badge>} {flag.stale && <Badge tone="bad">stale</Badge>}
    </>
  );

const Instances = ({ instances }: Details) => (
  <TableSection
    title="Instances"
    caption="Instances, last seen first"
    rows={instances}
    keyOf={({ instanceId, environment }) => `${environment} ${instanceId}`}
    empty="No instance has registered."
    page={{ size: PAGE }}
    columns={[
      ["Instance", ({ instanceId }) => <bdi>{instanceId}</bdi>, "main"],
      ["Environment", ({ environment }) => <bdi>{environment}</bdi>],
      ["SDK", ({ sdkVersion }) => <bdi>{sdkVersion}</bdi>],
      ["Address", ({ clientIp }) => <bdi>{clientIp}</bdi>],
      ["Started", ({ createdAt }) => <Time at={createdAt} />],
      ["Last seen", ({ lastSeen }) => <Time at={lastSeen} />],
    ]}
  />
);
