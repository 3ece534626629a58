import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { BASE, flagPath, useFilters } from "../address.ts";
import type { Input, Output } from "../api.ts";
import { count, counted, listed } from "../format.ts";
import { choice, choicesOf, named, Select } from "../parts/fields.tsx";
import { Form, useForm } from "../parts/form.tsx";
import { Secret, Snippets } from "../parts/tokens.tsx";
import { Answer, Heading, Icon, Name, Nothing } from "../parts/words.tsx";
import { change, refreshEvery, useRead } from "../reads.ts";
import { may, mayConnect } from "../session.ts";

/** Connects an application to a flag: creates a token, and shows sample code that uses it. */
export function Connect() {
  const [{ project, feature, environment }, setFilters] = useFilters({
    project: "",
    feature: "",
    environment: "",
  });
  const read = useRead("GET /api/admin/projects");
  return (
    <>
      <Heading title="Connect an application" />
      <Answer read={read}>
        {({ projects }) => {
          const allowed = projects.filter(({ id }) => mayConnect(id));
          const id = project || allowed[0]?.id;
          if (id === undefined)
            return <Nothing>There is no project that you may connect an application to.</Nothing>;
          return (
            <>
              {feature === "" ? (
                <Select
                  label="Project"
                  value={id}
                  choices={named(allowed)}
                  onChange={(project) => setFilters({ project })}
                />
              ) : (
                <p>
                  For the flag <Name>{feature}</Name> in the project{" "}
                  <Name>{projects.find((one) => one.id === id)?.name ?? id}</Name>
                </p>
              )}
              <InProject key={id} project={id} feature={feature} environment={environment} />
            </>
          );
        }}
      </Answer>
    </>
  );
}

const InProject = (props: Omit<StepsProps, "environments">) => (
  <Answer
    read={useRead("GET /api/admin/projects/:projectId/overview", { params: { projectId: props.project } })}
  >
    {({ environments }) => (
      <Steps {...props} environments={environments.map(({ environment }) => environment)} />
    )}
  </Answer>
);

const TOKENS = "/api/admin/projects/:projectId/api-tokens";

type NewToken = Input<`POST ${typeof TOKENS}`>["body"];
type CreatedToken = Output<`POST ${typeof TOKENS}`>;

/** Creates a token, by the user's permission in the project or else the one for all projects. */
const createToken = (project: string, body: NewToken) =>
  may("CREATE_PROJECT_API_TOKEN", { project })
    ? change(`POST ${TOKENS}`, { params: { projectId: project }, body })
    : change("POST /api/admin/api-tokens", { body });

const WHERE = choice("Where does your application run?", [
  ["client", "on a server"],
  ["frontend", "in a browser or on a phone"],
]);

interface StepsProps {
  project: string;
  /** Empty if none has been chosen. */
  feature: string;
  environments: readonly string[];
  /** The one selected at first; empty for the first in the list. */
  environment: string;
}

function Steps({ project, feature, environments, environment }: StepsProps) {
  const [created, setCreated] = useState<CreatedToken>();
  const initial = { type: "client", environment: environment || (environments[0] ?? "") };
  const form = useForm(initial, async ({ type, environment }) => {
    const tokenName = `${feature || project}-${environment}-${new Date().toISOString()}`;
    setCreated(await createToken(project, { tokenName, type, environment, projects: [project] }));
  });
  const fields = { type: WHERE, environment: choice("Environment", choicesOf(environments)) };
  if (!created) return <Form form={form} fields={fields} submit="Create a token and show the code" />;
  const { secret, type, createdAt } = created;
  return (
    <>
      <Secret label="Your application authenticates with this token." value={secret} />
      <section>
        <h2>Add this to your application</h2>
        <Snippets token={secret} feature={feature || "your-flag"} isFrontend={type === "frontend"} />
      </section>
      {feature !== "" && (
        <p role="status">
          <Progress place={{ project, feature, environment: created.environment }} since={createdAt} />
        </p>
      )}
    </>
  );
}

/** How often the server is asked: no event reports usage. */
const INTERVAL_MS = 2000;

/** A flag in one of its environments. */
type Place = Record<"project" | "feature" | "environment", string>;

interface ProgressProps {
  place: Place;
  /** When the application's token was created, RFC 3339. */
  since: string;
}

/** Waits for an application: shows that it has started, then how often it evaluates the flag. */
function Progress({ place, since }: ProgressProps) {
  useEffect(() => refreshEvery(INTERVAL_MS), []);
  const started = useStarted(place, since);
  const usage = useUsage(place);
  if (usage)
    return (
      <Success place={place}>
        the flag was evaluated {counted(usage.yes + usage.no, "time")} in <bdi>{place.environment}</bdi> this
        hour, {count(usage.yes)} on and {count(usage.no)} off.
      </Success>
    );
  if (started.length > 0)
    return (
      <Success place={place}>
        <bdi>{listed(started)}</bdi> has started. SDKs report usage once a minute.
      </Success>
    );
  return (
    <>
      Waiting for your application… <small>(curl and OpenFeature evaluate flags without reporting it.)</small>
    </>
  );
}

/** Its link opens another window, since this one shows a secret. */
const Success = ({ place, children }: { place: Place; children: ComponentChildren }) => (
  <>
    <Icon name="check" /> <strong>Connected</strong>: {children}{" "}
    <a href={BASE + flagPath(place.project, place.feature, "use")} target="_blank" rel="noopener">
      Usage (in a new tab)
    </a>
  </>
);

/** The applications that have started with a token for the project and the environment since a time. */
function useStarted({ project, environment }: Place, since: string): string[] {
  const { data } = useRead("GET /api/admin/metrics/applications");
  return (data?.applications ?? [])
    .filter(({ updatedAt }) => updatedAt > since)
    .filter(({ usage }) =>
      usage.some((place) => place.project === project && place.environments.includes(environment)),
    )
    .map(({ appName }) => appName);
}

/** How often the flag was evaluated this hour; undefined until that has changed. */
function useUsage({ feature, environment }: Place): { yes: number; no: number } | undefined {
  const { data } = useRead("GET /api/admin/client-metrics/features/:name", { params: { name: feature } });
  const { yes = 0, no = 0 } = data?.lastHourUsage.find((hour) => hour.environment === environment) ?? {};
  const initial = useRef<number>();
  if (data) initial.current ??= yes + no;
  return yes + no > 0 && yes + no !== initial.current ? { yes, no } : undefined;
}
