import { useState } from "preact/hooks";
import { useFilters } from "../address.ts";
import { Answer } from "../parts/answer.tsx";
import { ChoiceField, choicesOf } from "../parts/fields.tsx";
import { Form, useForm } from "../parts/form.tsx";
import { Secret } from "../parts/secret.tsx";
import { Snippets } from "../parts/snippets.tsx";
import { Heading } from "../parts/words.tsx";
import { change, useRead } from "../reads.ts";

/** From a flag to an application that asks for it: a token, and what to write with it. */
export function View() {
  const [{ project, feature }] = useFilters({ project: "default", feature: "" });
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
}

function Connect({ project, feature, environments }: ConnectProps) {
  const [made, setMade] = useState<{ secret: string; type: string } | undefined>();
  const initial = { type: "client", environment: environments[0] ?? "" };
  const form = useForm(initial, async ({ type, environment }) => {
    const body = { tokenName: `${project}-${environment}`, type, environment, projects: [project] };
    setMade(await change("POST /api/admin/api-tokens", { body }));
  });
  if (made)
    return (
      <>
        <Secret label="Your application authenticates with this token." value={made.secret} />
        <h2>Add this to your application</h2>
        <Snippets token={made.secret} feature={feature} isFrontend={made.type === "frontend"} />
        <p>Once your application evaluates the flag, its page shows how often.</p>
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
