import { useEffect, useState } from "preact/hooks";
import { useFilters } from "../address.ts";
import { request } from "../api.ts";
import { count, counted } from "../format.ts";
import { CONTEXT_FIELDS, type EvaluatedFlag, Reasons, toContext } from "../parts/evaluation.tsx";
import { choice, choicesOf } from "../parts/fields.tsx";
import { Form, useForm } from "../parts/form.tsx";
import { Filter, Pager, Search } from "../parts/table.tsx";
import { projects } from "../parts/tokens.tsx";
import { Answer, Badge, FlagLink, Heading, Nothing, Working } from "../parts/words.tsx";
import { useRead } from "../reads.ts";

/** What to evaluate, and the filters of the results. */
const DEFAULTS = { environment: "", projects: "", userId: "", more: "", query: "", result: "", offset: "0" };

/** How many results are shown at once. */
const LIMIT = 50;

/** Evaluates all flags for a context, with the reason for each result; the address holds the input. */
export function Playground() {
  const read = useRead("GET /api/admin/environments");
  return (
    <>
      <Heading title="Playground" />
      <Answer read={read}>
        {({ environments }) => <Evaluation environments={environments.map(({ name }) => name)} />}
      </Answer>
    </>
  );
}

function Evaluation({ environments }: { environments: readonly string[] }) {
  const [filters, setFilters] = useFilters(DEFAULTS);
  const [features, setFeatures] = useState<EvaluatedFlag[]>();
  const { query, result, offset, ...input } = filters;
  const initial = {
    ...input,
    environment: filters.environment || (environments[0] ?? ""),
    projects: filters.projects.split(",").filter(Boolean) as readonly string[],
  };
  const form = useForm(initial, async ({ projects, ...values }) => {
    setFilters({ ...values, projects: projects.join(",") });
    const response = await request("POST /api/admin/playground", {
      body: {
        environment: values.environment,
        projects: projects.length > 0 ? [...projects] : "*",
        context: toContext(values),
      },
    });
    setFeatures(response.features);
  });
  const fields = { environment: choice("Environment", choicesOf(environments)), projects, ...CONTEXT_FIELDS };
  useEffect(() => {
    if (filters.environment !== "") void form.submit(); // opened by a link
  }, []);
  return (
    <div class="columns">
      <Form form={form} fields={fields} submit="Evaluate" />
      <div>
        {form.isBusy && <Working />}
        {features && (
          <Results features={features} filters={{ query, result, offset }} onFilter={setFilters} />
        )}
      </div>
    </div>
  );
}

interface ResultsProps {
  features: readonly EvaluatedFlag[];
  filters: Record<"query" | "result" | "offset", string>;
  onFilter(changed: Partial<ResultsProps["filters"]>): void;
}

function Results({ features, filters: { query, result, ...filters }, onFilter }: ResultsProps) {
  const matching = features.filter(
    ({ name, isEnabled }) =>
      name.toLowerCase().includes(query.toLowerCase()) && (result === "" || result === wordFor(isEnabled)),
  );
  const offset = toOffset(filters.offset, matching.length);
  return (
    <section>
      <h2>
        {count(features.filter(({ isEnabled }) => isEnabled).length)} of {counted(features.length, "flag")} on
      </h2>
      <search class="filters">
        <Search label="Search flags" value={query} onChange={(query) => onFilter({ query, offset: "0" })} />
        <Filter
          label="Result"
          value={result}
          choices={choicesOf(["on", "off"])}
          onChange={(result) => onFilter({ result, offset: "0" })}
        />
      </search>
      {matching.length === 0 && <Nothing>No flags match.</Nothing>}
      <ul class="plain">
        {matching.slice(offset, offset + LIMIT).map((feature) => (
          <Result key={feature.name} feature={feature} />
        ))}
      </ul>
      <Pager
        offset={offset}
        limit={LIMIT}
        total={matching.length}
        onMove={(offset) => onFilter({ offset: String(offset) })}
      />
    </section>
  );
}

/** The start of a page; the first one for an offset that is none, or past the end. */
const toOffset = (text: string, total: number) =>
  Number(text) > 0 && Number(text) < total ? Number(text) : 0;

const wordFor = (isOn: boolean) => (isOn ? "on" : "off");

const Result = ({ feature }: { feature: EvaluatedFlag }) => (
  <li>
    <Badge tone={feature.isEnabled ? "good" : "bad"}>{wordFor(feature.isEnabled)}</Badge>{" "}
    <FlagLink project={feature.projectId} name={feature.name} />
    <details>
      <summary>
        Why<span class="unseen"> {feature.name}</span>
      </summary>
      <Reasons feature={feature} />
    </details>
  </li>
);
