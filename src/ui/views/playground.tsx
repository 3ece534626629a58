import { useEffect, useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { pathTo, useFilters } from "../address.ts";
import { type Output, request } from "../api.ts";
import { counted } from "../format.ts";
import { Nothing } from "../parts/answer.tsx";
import { ContextFields, toContext } from "../parts/context.tsx";
import { ChoiceField, choicesOf } from "../parts/fields.tsx";
import { Form, useForm } from "../parts/form.tsx";
import { ProjectsField } from "../parts/projects-field.tsx";
import { Reasons } from "../parts/reasons.tsx";
import { SearchField } from "../parts/search.tsx";
import { Select } from "../parts/select.tsx";
import { Badge, Heading } from "../parts/words.tsx";
import { useRead } from "../reads.ts";

type EvaluatedFlags = Output<"POST /api/admin/playground">["features"];

/** What to evaluate, and the filters of the results. */
const DEFAULTS = { environment: "", projects: "", userId: "", more: "", query: "", result: "" };

/** Evaluates all flags for a context, with the reason for each result; the address holds the input. */
export function View() {
  const [filters, setFilters] = useFilters(DEFAULTS);
  const [features, setFeatures] = useState<EvaluatedFlags | undefined>();
  const environments = useRead("GET /api/admin/environments").data?.environments ?? [];
  const { query, result, ...input } = filters;
  const initial = { ...input, projects: filters.projects.split(",").filter(Boolean) as readonly string[] };
  const form = useForm(initial, async ({ userId, more, ...values }) => {
    const environment = values.environment || environments[0]?.name || "";
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
    <>
      <Heading title="Playground" />
      <div class="columns">
        <Form form={form} submit="Evaluate">
          <ChoiceField
            form={form}
            name="environment"
            label="Environment"
            choices={choicesOf(environments.map(({ name }) => name))}
          />
          <ProjectsField form={form} />
          <ContextFields form={form} />
        </Form>
        {features && <Results features={features} filters={{ query, result }} onFilter={setFilters} />}
      </div>
    </>
  );
}

interface ResultsProps {
  features: EvaluatedFlags;
  filters: { query: string; result: string };
  onFilter(changed: Partial<ResultsProps["filters"]>): void;
}

function Results({ features, filters: { query, result }, onFilter }: ResultsProps) {
  const matching = features.filter(
    ({ name, isEnabled }) =>
      name.toLowerCase().includes(query.toLowerCase()) && (result === "" || result === wordFor(isEnabled)),
  );
  return (
    <section>
      <h2>
        {features.filter(({ isEnabled }) => isEnabled).length} of {counted(features.length, "flag")} on
      </h2>
      <search class="filters">
        <SearchField label="Search flags" value={query} onSearch={(query) => onFilter({ query })} />
        <Select
          label="Result"
          value={result}
          choices={choicesOf(["on", "off"])}
          onChange={(result) => onFilter({ result })}
        />
      </search>
      {matching.length === 0 && <Nothing>No flags match.</Nothing>}
      <ul class="plain">
        {matching.map((feature) => (
          <ResultItem key={feature.name} feature={feature} />
        ))}
      </ul>
    </section>
  );
}

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
