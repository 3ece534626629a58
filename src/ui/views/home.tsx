import { Link } from "wouter-preact";
import { connectPath, flagPath, pathTo, useFilters } from "../address.ts";
import type { Output } from "../api.ts";
import { listed } from "../format.ts";
import { Button } from "../parts/controls.tsx";
import { EventList } from "../parts/events.tsx";
import { named, Select } from "../parts/fields.tsx";
import { Table } from "../parts/table.tsx";
import {
  Answer,
  Avatar,
  Badge,
  FlagLink,
  Heading,
  Icon,
  Nothing,
  ProjectLink,
  Share,
  Time,
} from "../parts/words.tsx";
import { change, useRead } from "../reads.ts";
import { may, mayConnect } from "../session.ts";

type Dashboard = Output<"GET /api/admin/personal-dashboard">;

/** The user's projects and flags, recent activity, and notifications. */
export function Home() {
  const dashboard = useRead("GET /api/admin/personal-dashboard");
  return (
    <>
      <Heading title="Home" />
      <FirstSteps />
      <Answer read={dashboard}>
        {({ projects, flags }) => (
          <div class="columns">
            <div>
              <Projects projects={projects} />
              {projects.length > 0 && <Latest projects={projects} />}
            </div>
            <div>
              <Notifications />
              <Flags flags={flags} />
              <UnknownFlags />
            </div>
          </div>
        )}
      </Answer>
    </>
  );
}

const Projects = ({ projects }: Pick<Dashboard, "projects">) => (
  <section>
    <h2>Your projects</h2>
    <Table
      caption="Your projects"
      rows={projects}
      keyOf={({ id }) => id}
      empty={
        <>
          You aren't a member of any project. <Link href="/projects">All projects</Link>
        </>
      }
      columns={[
        ["Project", ({ id, name }) => <ProjectLink id={id} name={name} />, "main"],
        ["Health", ({ health, name }) => <Share percent={health} label={`Health of ${name}`} />],
        ["Flags", ({ featureCount }) => featureCount, "number"],
        ["Members", ({ memberCount }) => memberCount, "number"],
      ]}
    />
  </section>
);

/** How many events are shown. */
const LATEST = 10;

/** The latest events of one of the projects. */
function Latest({ projects }: Pick<Dashboard, "projects">) {
  const [{ project }, setFilters] = useFilters({ project: projects[0]!.id });
  const read = useRead("GET /api/admin/search/events", {
    query: { project: `IS:${project}`, limit: LATEST },
  });
  return (
    <section>
      <div class="heading">
        <h2>Recent activity</h2>
        <Select
          label="Project"
          value={project}
          choices={named(projects)}
          onChange={(project) => setFilters({ project })}
        />
      </div>
      <Answer read={read}>
        {({ events }) => (
          <>
            <EventList events={events} />
            <Link href={`/events?project=${encodeURIComponent(project)}`}>All events of this project</Link>
          </>
        )}
      </Answer>
    </section>
  );
}

function Notifications() {
  const read = useRead("GET /api/admin/notifications");
  const markRead = (notifications: number[]) =>
    change("POST /api/admin/notifications/read", { body: { notifications } });
  return (
    <section>
      <Answer read={read}>
        {(all) => {
          const unread = all.filter(({ readAt }) => readAt === null);
          return (
            <>
              <div class="heading">
                <h2>Notifications</h2>
                {unread.length > 0 && (
                  <Button icon="check" onClick={() => markRead(unread.map(({ id }) => id))}>
                    Mark all {unread.length} as read
                  </Button>
                )}
              </div>
              {all.length === 0 && <Nothing>No notifications yet.</Nothing>}
              <ul class="feed short">
                {all.map(({ id, message, link, createdAt, readAt, createdBy }) => (
                  <li key={id} class={readAt === null ? "unread" : undefined}>
                    <Avatar url={createdBy.imageUrl} />
                    <span>
                      <Link href={link} onClick={() => void (readAt ?? markRead([id]))}>
                        <bdi>{message}</bdi>
                      </Link>{" "}
                      <small>
                        {readAt === null && <Badge>unread</Badge>} <Time at={createdAt} />
                      </small>
                    </span>
                  </li>
                ))}
              </ul>
            </>
          );
        }}
      </Answer>
    </section>
  );
}

const Flags = ({ flags }: Pick<Dashboard, "flags">) => (
  <section>
    <h2>Your flags</h2>
    {flags.length === 0 && <Nothing>Flags you create or mark as favorites appear here.</Nothing>}
    <ul class="plain short">
      {flags.map(({ name, project, type }) => (
        <li key={name}>
          <FlagLink project={project} name={name} />{" "}
          <small>
            {type}, in <bdi>{project}</bdi>
          </small>
        </li>
      ))}
    </ul>
  </section>
);

/** What applications ask for in vain: a flag that was deleted too early, or whose name is misspelt. */
function UnknownFlags() {
  const { data } = useRead("GET /api/admin/metrics/unknown-flags");
  if (!data || data.unknownFlags.length === 0) return null;
  return (
    <section>
      <h2>Unknown flags</h2>
      <Table
        caption="Flags that applications have asked for within a day, and that don't exist"
        rows={data.unknownFlags}
        keyOf={({ name }) => name}
        empty=""
        columns={[
          ["Flag", ({ name }) => <bdi>{name}</bdi>, "main"],
          ["Applications", ({ reports }) => <bdi>{listed(reports.map(inEnvironments))}</bdi>],
          ["Seen", ({ lastSeenAt }) => <Time at={lastSeenAt} />],
        ]}
      />
    </section>
  );
}

type Report = Output<"GET /api/admin/metrics/unknown-flags">["unknownFlags"][number]["reports"][number];

const inEnvironments = ({ appName, environments }: Report) =>
  `${appName} (${listed(environments.map(({ environment }) => environment))})`;

type Project = Output<"GET /api/admin/projects">["projects"][number];
type Flag = Output<"GET /api/admin/search/features">["features"][number];

/** The steps to a flag that an application uses, in whatever project; hidden once an application has connected. */
function FirstSteps() {
  const { data } = useRead("GET /api/admin/projects");
  const applications = useRead("GET /api/admin/metrics/applications", { query: { limit: 1 } }).data;
  if (!data || !applications || applications.total > 0) return null;
  if (data.projects.some(({ lastReportedFlagUsage }) => lastReportedFlagUsage !== null)) return null;
  return <StepsFrom projects={data.projects} />;
}

/** With the newest flag that is on, or else the newest. */
function StepsFrom({ projects }: { projects: readonly Project[] }) {
  const environments = useRead("GET /api/admin/environments").data?.environments;
  const newest = useNewest([]);
  const on = useNewest(environments?.map(({ name }) => `${name}:enabled`) ?? []);
  if (!environments || !newest || !on) return null;
  const flag = on.features[0] ?? newest.features[0];
  const project = flag?.project ?? newestOf(projects)?.id;
  const done = on.total > 0 ? 3 : flag ? 2 : project === undefined ? 0 : 1;
  return (
    <section class="panel">
      <h2>First steps</h2>
      <ol class="steps">
        {stepsIn(project ?? "", flag).map((step, index) => (
          <li key={step[0]} class={index < done ? "done" : undefined}>
            {index < done && <Icon name="check" />} {index === done ? <CurrentStep step={step} /> : step[0]}
            {index < done && <span class="unseen"> (done)</span>}
          </li>
        ))}
      </ol>
    </section>
  );
}

const useNewest = (status: readonly string[]) =>
  useRead("GET /api/admin/search/features", {
    query: { status, limit: 1, sortBy: "createdAt", sortOrder: "desc" },
  }).data;

const newestOf = (projects: readonly Project[]) =>
  projects.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt)).at(-1);

type Step = readonly [title: string, path: string, isAllowed: boolean];

const stepsIn = (project: string, flag: Flag | undefined): Step[] => [
  ["Create a project", "/projects?new=true", may("CREATE_PROJECT")],
  ["Create a flag", `${pathTo("projects", project)}?new=true`, may("CREATE_FEATURE", { project })],
  [
    "Turn it on in an environment",
    flagPath(project, flag?.name ?? ""),
    may("UPDATE_FEATURE_ENVIRONMENT", { project }),
  ],
  ["Use it in your application", flag ? connectPath(flag) : "", mayConnect(project)],
];

const CurrentStep = ({ step: [title, path, isAllowed] }: { step: Step }) =>
  isAllowed ? (
    <Link class="button main" href={path}>
      {title}
    </Link>
  ) : (
    <>
      <strong>{title}</strong> <small>(you don't have the permission)</small>
    </>
  );
