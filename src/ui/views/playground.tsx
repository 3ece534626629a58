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

type Judged = Output<"POST /api/admin/playground">["features"];

/** What is asked, and by what the answers are filtered. */
const QUESTION = { environment: "", projects: "", userId: "", more: "", query: "", result: "" };

/** A context against all flags, with the reason for each answer; the question is in the address. */
export function View() {
  const [asked, setAsked] = useFilters(QUESTION);
  const [features, setFeatures] = useState<Judged | undefined>();
  const environments = useRead("GET /api/admin/environments").data?.environments ?? [];
  const { query, result, ...question } = asked;
  const initial = { ...question, projects: asked.projects.split(",").filter(Boolean) as readonly string[] };
  const form = useForm(initial, async ({ userId, more, ...values }) => {
    const environment = values.environment || environments[0]?.name || "";
    setAsked({ environment, userId, more, projects: values.projects.join(",") });
    const answer = await request("POST /api/admin/playground", {
      body: {
        environment,
        projects: values.projects.length > 0 ? [...values.projects] : "*",
        context: toContext(userId, more),
      },
    });
    setFeatures(answer.features);
  });
  useEffect(() => {
    if (asked.environment !== "") void form.submit(); // it was asked by a link
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
        {features && <Answers features={features} filters={{ query, result }} onFilter={setAsked} />}
      </div>
    </>
  );
}

interface AnswersProps {
  features: Judged;
  filters: { query: string; result: string };
  onFilter(changed: Partial<AnswersProps["filters"]>): void;
}

function Answers({ features, filters: { query, result }, onFilter }: AnswersProps) {
  const shown = features.filter(
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
      {shown.length === 0 && <Nothing>No flag matches.</Nothing>}
      <ul class="plain">
        {shown.map((feature) => (
          <AnswerItem key={feature.name} feature={feature} />
        ))}
      </ul>
    </section>
  );
}

const wordFor = (isOn: boolean) => (isOn ? "on" : "off");

const AnswerItem = ({ feature: { isEnabled, name, projectId }, feature }: { feature: Judged[number] }) => (
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
