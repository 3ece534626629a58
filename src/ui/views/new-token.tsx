import type { Input } from "../api.ts";
import { Answer } from "../parts/answer.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { ChoiceField, choicesOf, TextField } from "../parts/fields.tsx";
import { Form, useForm } from "../parts/form.tsx";
import { ProjectsField } from "../parts/projects-field.tsx";
import { change, useRead } from "../reads.ts";
import { isAdmin, may } from "../session.ts";
import type { CreatedToken } from "./tokens.tsx";

type Body = Input<"POST /api/admin/api-tokens">["body"];

/** The types of token the user may create, and what they are for. */
const types = () =>
  (
    [
      ["client", "client: for servers; reads flag configurations", may("CREATE_CLIENT_API_TOKEN")],
      [
        "frontend",
        "frontend: for browsers and mobile apps; reads evaluated flags only",
        may("CREATE_FRONTEND_API_TOKEN"),
      ],
      ["admin", "admin: for scripts; full access", isAdmin()],
    ] as const
  ).flatMap(([type, text, isAllowed]) => (isAllowed ? [[type, text] as const] : []));

interface NewTokenProps {
  onCreated(token: CreatedToken): void;
  onClose(): void;
}

export function NewToken(props: NewTokenProps) {
  const read = useRead("GET /api/admin/environments");
  return (
    <Dialog title="New token" onClose={props.onClose}>
      <Answer read={read}>
        {({ environments }) => (
          <NewTokenForm {...props} environments={environments.map(({ name }) => name)} />
        )}
      </Answer>
    </Dialog>
  );
}

function NewTokenForm({ environments, onCreated, onClose }: NewTokenProps & { environments: string[] }) {
  const choices = types();
  const initial = {
    tokenName: "",
    type: choices[0]?.[0] ?? "client",
    environment: environments[0] ?? "",
    projects: [] as readonly string[],
    expiresAt: "",
  };
  const form = useForm<typeof initial>(initial, async (values) => {
    const created = await change("POST /api/admin/api-tokens", { body: toBody(values) });
    onClose();
    onCreated(created);
  });
  const isForApplications = form.values.type !== "admin";
  return (
    <Form form={form} submit="Create the token" onCancel={onClose}>
      <TextField form={form} name="tokenName" label="Name" isRequired autofocus />
      <ChoiceField form={form} name="type" label="Type" choices={choices} />
      {isForApplications && (
        <>
          <ChoiceField form={form} name="environment" label="Environment" choices={choicesOf(environments)} />
          <ProjectsField form={form} />
        </>
      )}
      <TextField
        form={form}
        name="expiresAt"
        label="Expires"
        type="datetime-local"
        hint="Leave empty for a token that never expires."
      />
    </Form>
  );
}

interface Values {
  tokenName: string;
  type: string;
  environment: string;
  projects: readonly string[];
  expiresAt: string;
}

function toBody({ tokenName, type, environment, projects, expiresAt }: Values): Body {
  return {
    tokenName,
    type,
    ...(expiresAt !== "" && { expiresAt: new Date(expiresAt).toISOString() }),
    ...(type !== "admin" && {
      environment,
      projects: projects.length > 0 ? [...projects] : ["*"],
    }),
  };
}
