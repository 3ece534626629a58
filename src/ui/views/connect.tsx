import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { pathTo, useFilters } from "../address.ts";
import { Answer } from "../parts/answer.tsx";
import { ChoiceField, choicesOf } from "../parts/fields.tsx";
import { Form, useForm } from "../parts/form.tsx";
import { Secret } from "../parts/secret.tsx";
import { Snippets } from "../parts/snippets.tsx";
import { Heading } from "../parts/words.tsx";
import { useRead } from "../reads.ts";
import { createToken } from "./connect-token.ts";

/** Connects an application to a flag: creates a token, and shows sample code that uses it. */
export function View() {
  const [{ project, feature, environment }] = useFilters({
    project: "default",
    feature: "",
    environment: "",
  });
  const params = { projectId: project };
  const read = useRead("GET /api/admin/projects/:projectId/overview", { params });
  return (
    <>
      <Heading title="Connect an application" />
      <Answer read={read}>
        {({ environments }) => (
          <Connect
            project={project}
            feature={feature || "your-flag"}
            environments={environments.map(({ environment }) => environment)}
            environment={environment}
          />
        )}
      </Answer>
    </>
  );
}

interface ConnectProps {
  project: string;
  feature: string;
  environments: readonly string[];
  /** The one selected at first; empty for the first in the list. */
  environment: string;
}

function Connect({ project, feature, environments, environment }: ConnectProps) {
  const [created, setCreated] = useState<{ secret: string; type: string } | undefined>();
  const initial = { type: "client", environment: environment || (environments[0] ?? "") };
  const form = useForm(initial, async ({ type, environment }) => {
    const body = { tokenName: `${project}-${environment}`, type, environment, projects: [project] };
    setCreated(await createToken(project, body));
  });
  if (created)
    return (
      <>
        <Secret label="Your application authenticates with this token." value={created.secret} />
        <h2>Add this to your application</h2>
        <Snippets token={created.secret} feature={feature} isFrontend={created.type === "frontend"} />
        <p>
          Once your application evaluates the flag,{" "}
          <Link href={pathTo("projects", project, "features", feature)}>its page</Link> shows how often.
        </p>
      </>
    );
  return (
    <Form form={form} submit="Create a token and show the code">
      <ChoiceField
        form={form}
        name="type"
        label="Where does your application run?"
        choices={[
          ["client", "on a server"],
          ["frontend", "in a browser or on a phone"],
        ]}
      />
      <ChoiceField form={form} name="environment" label="Environment" choices={choicesOf(environments)} />
    </Form>
  );
}
