import { useState } from "preact/hooks";
import { useFilters } from "../address.ts";
import { Answer } from "../parts/answer.tsx";
import { ChoiceField, choicesOf } from "../parts/fields.tsx";
import { Form, useForm } from "../parts/form.tsx";
import { Secret } from "../parts/secret.tsx";
import { Snippets } from "../parts/snippets.tsx";
import { Heading } from "../parts/words.tsx";
import { useRead } from "../reads.ts";
import { type CreatedToken, createToken } from "./connect-token.ts";
import { Connected } from "./connected.tsx";

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
        {({ name, environments }) => (
          <>
            <p>
              For{" "}
              {feature !== "" && (
                <>
                  the flag{" "}
                  <strong>
                    <bdi>{feature}</bdi>
                  </strong>{" "}
                  in{" "}
                </>
              )}
              the project{" "}
              <strong>
                <bdi>{name}</bdi>
              </strong>
            </p>
            <Connect
              project={project}
              feature={feature}
              environments={environments.map(({ environment }) => environment)}
              environment={environment}
            />
          </>
        )}
      </Answer>
    </>
  );
}

interface ConnectProps {
  project: string;
  /** Empty if none has been chosen. */
  feature: string;
  environments: readonly string[];
  /** The one selected at first; empty for the first in the list. */
  environment: string;
}

function Connect({ project, feature, environments, environment }: ConnectProps) {
  const [created, setCreated] = useState<CreatedToken | undefined>();
  const initial = { type: "client", environment: environment || (environments[0] ?? "") };
  const form = useForm(initial, async ({ type, environment }) => {
    const tokenName = `${feature || project}-${environment}-${new Date().toISOString()}`;
    setCreated(await createToken(project, { tokenName, type, environment, projects: [project] }));
  });
  if (created)
    return (
      <>
        <Secret label="Your application authenticates with this token." value={created.secret} />
        <section>
          <h2>Add this to your application</h2>
          <Snippets
            token={created.secret}
            feature={feature || "your-flag"}
            isFrontend={created.type === "frontend"}
          />
        </section>
        {feature !== "" && (
          <Connected
            place={{ project, feature, environment: created.environment }}
            since={created.createdAt}
          />
        )}
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
