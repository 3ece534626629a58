import { useEffect, useState } from "preact/hooks";
import { useFilters } from "../address.ts";
import { type Output, request } from "../api.ts";
import { count, counted } from "../format.ts";
import { toContext, toInput, useContextFields } from "../parts/context.tsx";
import { Reasons } from "../parts/evaluation.tsx";
import { type Choice, checks, choice, choicesOf } from "../parts/fields.tsx";
import { Filter, Filters, Search } from "../parts/filters.tsx";
import { Form, useForm } from "../parts/form.tsx";
import { AsOf } from "../parts/past.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { projects } from "../parts/tokens.tsx";
import { Answer, Badge, FlagLink, Heading, ProjectLink, Working } from "../parts/words.tsx";
import { useRead } from "../reads.ts";

/** The filters of the results. */
const FILTERS = { query: "", result: "" };

/** What to evaluate, the context as JSON, and the page of the results. */
const DEFAULTS = {
  environments: "",
  projects: "",
  context: "",
  as: "fields",
  offset: "",
};

/** How many results are shown at once. */
const LIMIT = 50;

type Answered = Output<"POST /api/admin/playground/advanced">;
type Feature = Answered["features"][number];
type Evaluated = Feature["environments"][string][number];

/** Evaluates all flags for a context in several environments, with the reason for each result; the address holds the input. */
export function Playground() {
  const read = useRead("GET /api/admin/environments");
  return (
    <>
      <Heading title="Playground">
        <AsOf />
      </Heading>
      <Answer read={read}>
        {({ environments }) => <Evaluation environments={environments.map(({ name }) => name)} />}
      </Answer>
    </>
  );
}

/** So many environments are evaluated unless others are chosen. */
const FEW = 3;

function Evaluation({ environments }: { environments: readonly string[] }) {
  const [filters, setFilters] = useFilters(DEFAULTS);
  const [answered, setAnswered] = useState<Answered>();
  const listed = listOf(filters.environments);
  const initial = {
    token: "",
    environments: listed.length > 0 ? listed : environments.slice(0, FEW),
    projects: listOf(filters.projects),
    ...toInput(objectIn(filters.context), filters.as),
  };
  const form = useForm(initial, async ({ environments, projects, ...input }) => {
    const context = toContext(input);
    const response = await request("POST /api/admin/playground/advanced", {
      body: { environments: [...environments], projects: projects.length > 0 ? [...projects] : "*", context },
    });
    setFilters({
      environments: environments.join(","),
      projects: projects.join(","),
      context: JSON.stringify(context),
      as: input.as,
      offset: filters.offset,
    });
    setAnswered(response);
  });
  const token = useToken((place) => {
    form.set("environments", place.environment === "*" ? environments : [place.environment]);
    form.set("projects", place.projects.includes("*") ? [] : place.projects);
  });
  const context = useContextFields(form);
  useEffect(() => {
    if (filters.environments !== "") void form.submit(); // opened by a link
  }, []);
  return (
    <div class="playground">
      <Form
        form={form}
        fields={{
          ...context,
          environments: checks("Environments", choicesOf(environments)),
          projects,
          token,
        }}
        submit="Evaluate"
      />
      <div>
        {form.isBusy && <Working />}
        {answered && <Results {...answered} />}
      </div>
    </div>
  );
}

const listOf = (text: string): readonly string[] => text.split(",").filter(Boolean);

/** Empty for what isn't one: the address may have been typed. */
function objectIn(json: string): Record<string, unknown> {
  try {
    return { ...JSON.parse(json || "{}") };
  } catch {
    return {};
  }
}

type Place = { environment: string; projects: readonly string[] };

/** Takes the environment and the projects of a token of an application. */
function useToken(onChoose: (place: Place) => void) {
  const tokens = (useRead("GET /api/admin/api-tokens").data?.tokens ?? []).filter(
    ({ type }) => type !== "admin",
  );
  const named = tokens.map(({ tokenName }, index): Choice => [String(index), tokenName]);
  return (
    tokens.length > 0 &&
    choice<string>("As an application with the token", [["", "none"], ...named], {
      onChoose: (index) => index !== "" && onChoose(tokens[Number(index)]!),
    })
  );
}

function Results({ features, input, warnings }: Answered) {
  const [{ query, result }] = useFilters(FILTERS);
  const environments = Object.keys(features[0]?.environments ?? {});
  const matching = features.filter(
    (feature) => feature.name.toLowerCase().includes(query.toLowerCase()) && isWanted(feature, result),
  );
  return (
    <section>
      <h2>
        {matching.length < features.length && `${count(matching.length)} of `}
        {counted(features.length, "flag")}
      </h2>
      <p class="muted">
        {environments
          .map((environment) => `${countOn(matching, environment)} on in ${environment}`)
          .join(" · ")}
        {warnings && `. Left out, since they aren't texts: ${warnings.invalidContextProperties.join(", ")}`}
      </p>
      <Filters of={FILTERS}>
        <Search label="Search flags" />
        <Filter label="Result" name="result" choices={RESULTS} />
      </Filters>
      <Table
        caption="Results"
        rows={matching}
        page={{ size: LIMIT }}
        keyOf={({ name }) => name}
        empty="No flags match."
        columns={[
          [
            "Flag",
            ({ name, projectId }) => (
              <>
                <FlagLink project={projectId} name={name} />
                <small class="line">
                  <ProjectLink id={projectId} name={projectId} />
                </small>
              </>
            ),
            "main",
          ],
          ...environments.map(
            (environment): Column<Feature> => [
              environment,
              (feature) =>
                feature.environments[environment]!.map((one, index) => (
                  <Result key={index} result={one} environment={environment} asked={contextOf(input)} />
                )),
            ],
          ),
        ]}
      />
    </section>
  );
}

const RESULTS: readonly Choice[] = [
  ["on", "on somewhere"],
  ["off", "off everywhere"],
  ["different", "different"],
];

function isWanted({ environments }: Feature, result: string): boolean {
  const results = new Set(
    Object.values(environments).flatMap((all) => all.map(({ isEnabled }) => isEnabled)),
  );
  if (result === "different") return results.size > 1;
  return result === "" || results.has(true) === (result === "on");
}

const countOn = (features: readonly Feature[], environment: string) =>
  count(
    features.filter(({ environments }) => environments[environment]?.some(({ isEnabled }) => isEnabled))
      .length,
  );

/** The context that was sent; several values of a field are separated by commas. */
const contextOf = (input: Answered["input"]) => ({ ...(input.context as Record<string, unknown>) });

interface ResultProps {
  result: Evaluated;
  environment: string;
  asked: Record<string, unknown>;
}

/** On or off, with the reasons behind it; and which of several contexts it is for. */
const Result = ({ result, environment, asked }: ResultProps) => (
  <details>
    <summary>
      {result.isEnabled ? <Badge tone="good">on</Badge> : <Badge>off</Badge>}{" "}
      {result.variant.enabled && <bdi>{result.variant.name} </bdi>}
      <small>{distinguishing(result.context, asked)}</small>
      <span class="unseen">
        Why {result.name} in {environment}
      </span>
    </summary>
    <Reasons feature={result} />
  </details>
);

const distinguishing = (context: Evaluated["context"], asked: Record<string, unknown>) =>
  Object.entries(context)
    .filter(([name]) => String(asked[name] ?? "").includes(","))
    .map(([, value]) => String(value))
    .join(", ");
