import { Link } from "wouter-preact";
import { pathTo } from "../address.ts";
import type { Output } from "../api.ts";
import { Icon } from "../parts/icon.tsx";
import { useRead } from "../reads.ts";
import { may } from "../session.ts";
import { connectPath, mayConnect } from "./connect-token.ts";

type Project = Output<"GET /api/admin/projects">["projects"][number];
type Flag = Output<"GET /api/admin/search/features">["features"][number];

/** The steps to a flag that an application uses, in whatever project; hidden once an application has connected. */
export function FirstSteps() {
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
  return <Steps done={done} project={project} flag={flag} />;
}

const useNewest = (status: readonly string[]) =>
  useRead("GET /api/admin/search/features", {
    query: { status, limit: 1, sortBy: "createdAt", sortOrder: "desc" },
  }).data;

const newestOf = (projects: readonly Project[]) =>
  projects.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt)).at(-1);

interface StepsProps {
  /** How many are done. */
  done: number;
  project: string | undefined;
  flag: Flag | undefined;
}

function Steps({ done, project = "", flag }: StepsProps) {
  const steps = stepsIn(project, flag);
  return (
    <section class="panel">
      <h2>First steps</h2>
      <ol class="steps">
        {steps.map((step, index) => (
          <li key={step.title} class={index < done ? "done" : undefined}>
            {index < done && <Icon name="check" />} {index === done ? <CurrentStep {...step} /> : step.title}
            {index < done && <span class="unseen"> (done)</span>}
          </li>
        ))}
      </ol>
    </section>
  );
}

interface Step {
  title: string;
  path: string;
  isAllowed: boolean;
}

const stepsIn = (project: string, flag: Flag | undefined): Step[] => [
  { title: "Create a project", path: "/projects?new=true", isAllowed: may("CREATE_PROJECT") },
  {
    title: "Create a flag",
    path: `${pathTo("projects", project)}?new=true`,
    isAllowed: may("CREATE_FEATURE", { project }),
  },
  {
    title: "Turn it on in an environment",
    path: pathTo("projects", project, "features", flag?.name ?? ""),
    isAllowed: may("UPDATE_FEATURE_ENVIRONMENT", { project }),
  },
  {
    title: "Use it in your application",
    path: flag ? connectPath(flag) : "",
    isAllowed: mayConnect(project),
  },
];

const CurrentStep = ({ title, path, isAllowed }: Step) =>
  isAllowed ? (
    <Link class="button main" href={path}>
      {title}
    </Link>
  ) : (
    <>
      <strong>{title}</strong> <small>(you don't have the permission)</small>
    </>
  );
