import { request } from "../../api.ts";
import { EditForm, useEdit } from "../../parts/edit.tsx";
import { LongField, TextField } from "../../parts/fields.tsx";
import { tell } from "../../parts/messages.tsx";
import { change } from "../../reads.ts";
import type { SettingsProps } from "./description.tsx";
import type { Project } from "./project-frame.tsx";

const PROJECT = "/api/admin/projects/:projectId";

const toNaming = ({ featureNaming: { pattern, example, description } }: Project) => ({
  pattern: pattern ?? "",
  example: example ?? "",
  description: description ?? "",
});

/** The naming pattern for a project's flags. */
export function Naming({ project, id }: SettingsProps) {
  const params = { projectId: id };
  const edit = useEdit({
    now: project,
    read: () => request(`GET ${PROJECT}/overview`, { params }),
    toValues: toNaming,
    async save({ pattern, example, description }, ifStill) {
      const featureNaming = {
        pattern: pattern || null,
        example: example || null,
        description: description || null,
      };
      await change(`PUT ${PROJECT}/settings`, { params, body: { featureNaming }, ifStill });
      tell("Saved");
    },
  });
  const { form } = edit;
  return (
    <section>
      <h2>Flag naming</h2>
      <EditForm edit={edit} submit="Save">
        <TextField
          form={form}
          name="pattern"
          label="Pattern"
          hint="A regular expression that new flags must match. Leave empty to allow any name."
        />
        <TextField form={form} name="example" label="Example" />
        <LongField form={form} name="description" label="Explanation" />
      </EditForm>
    </section>
  );
}
