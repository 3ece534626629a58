import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import type { Output } from "../../api.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { ChoiceField, LongField, TextField } from "../../parts/fields.tsx";
import { Form, useForm } from "../../parts/form.tsx";
import { tell } from "../../parts/messages.tsx";
import { change } from "../../reads.ts";
import { may } from "../../session.ts";
import { MODES } from "../project-modes.ts";
import { type Project, ProjectFrame } from "./project-frame.tsx";

/** What a project is called, who sees it, how its flags are named, and its end. */
export const View = () => (
  <ProjectFrame>
    {(project, id) => (
      <div class="columns">
        <Description key={id} project={project} id={id} />
        <div>
          <Naming key={id} project={project} id={id} />
          {may("DELETE_PROJECT", { project: id }) && <End project={project} id={id} />}
        </div>
      </div>
    )}
  </ProjectFrame>
);

interface SettingsProps {
  project: Project;
  id: string;
}

type Mode = Output<"GET /api/admin/projects">["projects"][number]["mode"];

function Description({ project, id }: SettingsProps) {
  const { name, description, mode, defaultStickiness } = project;
  const initial = { name, description: description ?? "", mode: mode as string, defaultStickiness };
  const form = useForm(initial, async (body) => {
    await change("PUT /api/admin/projects/:projectId", {
      params: { projectId: id },
      body: { ...body, mode: body.mode as Mode },
    });
    tell("Saved");
  });
  return (
    <section>
      <h2>General</h2>
      <Form form={form} submit="Save">
        <TextField form={form} name="name" label="Name" isRequired />
        <LongField form={form} name="description" label="Description" />
        <ChoiceField form={form} name="mode" label="Mode" choices={MODES} />
        <TextField form={form} name="defaultStickiness" label="Default stickiness" />
      </Form>
    </section>
  );
}

function Naming({ project: { featureNaming }, id }: SettingsProps) {
  const { pattern, example, description } = featureNaming;
  const initial = { pattern: pattern ?? "", example: example ?? "", description: description ?? "" };
  const form = useForm(initial, async ({ pattern, example, description }) => {
    await change("PUT /api/admin/projects/:projectId/settings", {
      params: { projectId: id },
      body: {
        featureNaming: {
          pattern: pattern || null,
          example: example || null,
          description: description || null,
        },
      },
    });
    tell("Saved");
  });
  return (
    <section>
      <h2>Flag naming</h2>
      <Form form={form} submit="Save">
        <TextField
          form={form}
          name="pattern"
          label="Pattern"
          hint="A regular expression that new flags must match. Leave empty to allow any name."
        />
        <TextField form={form} name="example" label="Example" />
        <LongField form={form} name="description" label="Explanation" />
      </Form>
    </section>
  );
}

function End({ project: { name, archivedAt }, id }: SettingsProps) {
  const [asked, setAsked] = useState<"archive" | "remove" | undefined>();
  const [, navigate] = useLocation();
  const params = { projectId: id };
  const close = () => setAsked(undefined);
  const archive = async () => {
    await change("POST /api/admin/projects/archive/:projectId", { params });
    navigate("/projects");
  };
  const remove = async () => {
    await change("DELETE /api/admin/projects/:projectId", { params });
    navigate("/projects");
  };
  return (
    <section>
      <h2>Archive or delete</h2>
      <div class="actions">
        {archivedAt ? (
          <Button onClick={() => change("POST /api/admin/projects/revive/:projectId", { params })}>
            Revive
          </Button>
        ) : (
          <Button icon="archive" kind="danger" onClick={() => setAsked("archive")}>
            Archive the project
          </Button>
        )}
        <Button icon="remove" kind="danger" onClick={() => setAsked("remove")}>
          Delete permanently
        </Button>
      </div>
      {asked === "archive" && (
        <Confirm title={`Archive ${name}?`} action="Archive the project" onConfirm={archive} onClose={close}>
          Its flags must be archived first. You can revive the project later.
        </Confirm>
      )}
      {asked === "remove" && (
        <Confirm
          title={`Delete ${name} permanently?`}
          action="Delete the project"
          onConfirm={remove}
          onClose={close}
        >
          The project, its archived flags and its members' roles will be deleted. Its events stay in the log.
        </Confirm>
      )}
    </section>
  );
}
