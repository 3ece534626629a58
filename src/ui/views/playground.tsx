import { useEffect, useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { pathTo, useFilters } from "../address.ts";
import { type Output, request } from "../api.ts";
import { count, counted } from "../format.ts";
import { Answer, Nothing, Working } from "../parts/answer.tsx";
import { ContextFields, toContext } from "../parts/context.tsx";
import { ChoiceField, choicesOf } from "../parts/fields.tsx";
import { Form, useForm } from "../parts/form.tsx";
import { ProjectsField } from "../parts/projects-field.tsx";
import { Reasons } from "../parts/reasons.tsx";
import { SearchField } from "../parts/search.tsx";
import { Select } from "../parts/select.tsx";
import { Pager } from "../parts/table.tsx";
import { Badge, Heading } from "../parts/words.tsx";
import { useRead } from "../reads.ts";

type EvaluatedFlags = Output<"POST /api/admin/playground">["features"];

/** What to evaluate, and the filters of the results. */
const DEFAULTS = { environment: "", projects: "", userId: "", more: "", query: "", result: "", offset: "0" };

/** How many results are shown at once. */
const LIMIT = 50;

/** Evaluates all flags for a context, with the reason for each result; the address holds the input. */
export function View() {
  const read = useRead("GET /api/admin/environments");
  return (
    <>
      <Heading title="Playground" />
      <Answer read={read}>
        {({ environments }) => <Playground environments={environments.map(({ name }) => name)} />}
      </Answer>
    </>
  );
}

function Playground({ environments }: { environments: readonly string[] }) {
  const [filters, setFilters] = useFilters(DEFAULTS);
  const [features, setFeatures] = useState<EvaluatedFlags | undefined>();
  const { query, result, offset, ...input } = filters;
  const initial = {
    ...input,
    environment: filters.environment || (environments[0] ?? ""),
    projects: filters.projects.split(",").filter(Boolean) as readonly string[],
  };
  const form = useForm(initial, async ({ environment, userId, more, ...values }) => {
    setFilters({ environment, userId, more, projects: values.projects.join(",") });
    const response = await request("POST /api/admin/playground", {
      body: {
        environment,
        projects: values.projects.length > 0 ? [...values.projects] : "*",
        context: toContext(userId, more),
      },
    });
    setFeatures(response.features);
  });
  useEffect(() => {
    if (filters.environment !== "") void form.submit(); // opened by a link
  }, []);
  return (
    <div class="columns">
      <Form form={form} submit="Evaluate">
        <ChoiceField form={form} name="environment" label="Environment" choices={choicesOf(environments)} />
        <ProjectsField form={form} />
        <ContextFields form={form} />
      </Form>
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
  features: EvaluatedFlags;
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
        <SearchField
          label="Search flags"
          value={query}
          onSearch={(query) => onFilter({ query, offset: "0" })}
        />
        <Select
          label="Result"
          value={result}
          choices={choicesOf(["on", "off"])}
          onChange={(result) => onFilter({ result, offset: "0" })}
        />
      </search>
      {matching.length === 0 && <Nothing>No flags match.</Nothing>}
      <ul class="plain">
        {matching.slice(offset, offset + LIMIT).map((feature) => (
          <ResultItem key={feature.name} feature={feature} />
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

const ResultItem = ({
  feature: { isEnabled, name, projectId },
  feature,
}: {
  feature: EvaluatedFlags[number];
}) => (
  <li>
    <Badge tone={isEnabled ? "good" : "bad"}>{wordFor(isEnabled)}</Badge>{" "}
    <Link href={pathTo("projects", projectId, "features", name)}>
      <bdi>{name}</bdi>
    </Link>
    <details>
      <summary>
        Why<span class="unseen"> {name}</span>
      </summary>
      <Reasons feature={feature} />
    </details>
  </li>
);
