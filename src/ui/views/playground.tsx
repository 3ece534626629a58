import { useEffect, useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { pathTo, useFilters } from "../address.ts";
import { type Output, request } from "../api.ts";
import { counted } from "../format.ts";
import { ContextFields, toContext } from "../parts/context.tsx";
import { ChoiceField, choicesOf } from "../parts/fields.tsx";
import { Form, useForm } from "../parts/form.tsx";
import { ProjectsField } from "../parts/projects-field.tsx";
import { Reasons } from "../parts/reasons.tsx";
import { Badge, Heading } from "../parts/words.tsx";
import { useRead } from "../reads.ts";

type Judged = Output<"POST /api/admin/playground">["features"];

/** A context against all flags, with the reason for each answer; the question is in the address. */
export function View() {
  const [asked, setAsked] = useFilters({ environment: "", projects: "", userId: "", more: "" });
  const [features, setFeatures] = useState<Judged | undefined>();
  const environments = useRead("GET /api/admin/environments").data?.environments ?? [];
  const initial = { ...asked, projects: asked.projects.split(",").filter(Boolean) as readonly string[] };
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
        <Form form={form} submit="Ask">
          <ChoiceField
            form={form}
            name="environment"
            label="Environment"
            choices={choicesOf(environments.map(({ name }) => name))}
          />
          <ProjectsField form={form} />
          <ContextFields form={form} />
        </Form>
        {features && <Answers features={features} />}
      </div>
    </>
  );
}

const Answers = ({ features }: { features: Judged }) => (
  <section>
    <h2>
      {counted(features.filter(({ isEnabled }) => isEnabled).length, "flag")} on, of {features.length}
    </h2>
    <ul class="plain">
      {features.map((feature) => (
        <li key={feature.name}>
          <Badge tone={feature.isEnabled ? "good" : "bad"}>{feature.isEnabled ? "on" : "off"}</Badge>{" "}
          <Link href={pathTo("projects", feature.projectId, "features", feature.name)}>
            <bdi>{feature.name}</bdi>
          </Link>
          <details>
            <summary>
              Why<span class="unseen"> {feature.name}</span>
            </summary>
            <Reasons feature={feature} />
          </details>
        </li>
      ))}
    </ul>
  </section>
);
