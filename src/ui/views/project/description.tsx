import { type Output, request } from "../../api.ts";
import { EditForm, useEdit } from "../../parts/edit.tsx";
import { ChoiceField, LongField, TextField } from "../../parts/fields.tsx";
import { tell } from "../../parts/messages.tsx";
import { change } from "../../reads.ts";
import { MODES } from "../project-modes.ts";
import type { Project } from "./project-frame.tsx";

const PROJECT = "/api/admin/projects/:projectId";

type Mode = Output<"GET /api/admin/projects">["projects"][number]["mode"];

export interface SettingsProps {
  project: Project;
  id: string;
}

const toDescription = ({ name, description, mode, defaultStickiness }: Project) => ({
  name,
  description: description ?? "",
  mode: mode as string,
  defaultStickiness,
});

/** A project's name, description and mode. */
export function Description({ project, id }: SettingsProps) {
  const params = { projectId: id };
  const edit = useEdit({
    now: project,
    read: () => request(`GET ${PROJECT}/overview`, { params }),
    toValues: toDescription,
    async save(values, ifStill) {
      const body = { ...values, mode: values.mode as Mode };
      await change(`PUT ${PROJECT}`, { params, body, ifStill });
      tell("Saved");
    },
  });
  const { form } = edit;
  return (
    <section>
      <h2>General</h2>
      <EditForm edit={edit} submit="Save">
        <TextField form={form} name="name" label="Name" isRequired />
        <LongField form={form} name="description" label="Description" />
        <ChoiceField form={form} name="mode" label="Mode" choices={MODES} />
        <TextField form={form} name="defaultStickiness" label="Default stickiness" />
      </EditForm>
    </section>
  );
}
