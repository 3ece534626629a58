import { Link } from "wouter-preact";
import { connectPath, flagPath, pathTo } from "../address.ts";
import type { Output } from "../api.ts";
import { counted } from "../format.ts";
import { LatestEvents } from "../parts/events.tsx";
import { RequestList } from "../parts/requests.tsx";
import { Answer, FlagLink, Heading, Icon, Nothing, ProjectLink, Share } from "../parts/words.tsx";
import { useRead } from "../reads.ts";
import { may, mayConnect, ownUser } from "../session.ts";
import { UnknownFlags } from "./unknown-flags.tsx";

type Dashboard = Output<"GET /api/admin/personal-dashboard">;

/** The user's projects and flags, and what happened lately. */
export function Home() {
  const dashboard = useRead("GET /api/admin/personal-dashboard");
  return (
    <>
      <Heading title="Home" />
      <FirstSteps />
      <ToApprove />
      <Answer read={dashboard}>
        {({ projects, flags }) => (
          <>
            {projects.length > 0 ? <Tiles title="Your projects" projects={projects} /> : <OtherProjects />}
            <div class="columns">
              <LatestEvents title="Recent activity" all="/events" query={{ limit: 10 }} />
              <div>
                <Flags flags={flags} />
                <UnknownFlags isCard />
              </div>
            </div>
          </>
        )}
      </Answer>
    </>
  );
}

/** What the reader can approve of others; one's own is for Admins only, and found in its project. */
function ToApprove() {
  const { data } = useRead("GET /api/admin/search/change-requests", { query: { state: "IS:open" } });
  const waiting = data?.changeRequests.filter(
    ({ state, createdBy, ...place }) =>
      state === "In review" && createdBy.id !== ownUser()?.id && may("APPROVE_CHANGE_REQUEST", place),
  );
  if (!waiting?.length) return null;
  return (
    <section>
      <h2>Needs your approval</h2>
      <RequestList requests={waiting} />
    </section>
  );
}

type Tile = Pick<Dashboard["projects"][number], "id" | "name" | "health" | "featureCount" | "memberCount">;

const Tiles = ({ title, projects }: { title: string; projects: readonly Tile[] }) => (
  <section>
    <h2>{title}</h2>
    <ul class="tiles">
      {projects.map(({ id, name, health, featureCount, memberCount }) => (
        <li key={id} class="card">
          <h3>
            <ProjectLink id={id} name={name} />
          </h3>
          <small>
            {counted(featureCount, "flag")}, {counted(memberCount, "member")}
          </small>
          <Share percent={health} label={`Health of ${name}`} />
        </li>
      ))}
    </ul>
  </section>
);

/** How many projects of others are shown. */
const SHOWN = 6;

/** For a user who is a member of no project, such as an administrator: those that they can see. */
const OtherProjects = () => (
  <Answer read={useRead("GET /api/admin/projects")} rows={3}>
    {({ projects }) =>
      projects.length === 0 ? (
        <Nothing>There is no project that you can see.</Nothing>
      ) : (
        <>
          <Tiles title="Projects" projects={projects.slice(0, SHOWN)} />
          {projects.length > SHOWN && <Link href="/projects">All {projects.length} projects</Link>}
        </>
      )
    }
  </Answer>
);

const Flags = ({ flags }: Pick<Dashboard, "flags">) => (
  <section class="card">
    <h2>Your flags</h2>
    {flags.length === 0 && <Nothing>Flags you create or mark as favorites appear here.</Nothing>}
    <ul class="feed short">
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
    <section class="card">
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
