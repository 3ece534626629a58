import { useLocation } from "wouter-preact";
import { pathTo } from "../../address.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { CheckField, ChoiceField, LongField, TextField } from "../../parts/fields.tsx";
import { Form, useForm } from "../../parts/form.tsx";
import { change, useRead } from "../../reads.ts";
import type { Project } from "./project-frame.tsx";

interface NewFlagProps {
  project: Project;
  id: string;
  onClose(): void;
}

export function NewFlag({ project: { featureNaming }, id, onClose }: NewFlagProps) {
  const [, navigate] = useLocation();
  const types = useRead("GET /api/admin/feature-types").data?.types ?? [];
  const form = useForm(
    { name: "", type: "release", description: "", impressionData: false },
    async (body) => {
      const { name } = await change("POST /api/admin/projects/:projectId/features", {
        params: { projectId: id },
        body,
      });
      navigate(pathTo("projects", id, "features", name), { replace: true });
    },
  );
  const { pattern, example } = featureNaming;
  return (
    <Dialog title="New flag" onClose={onClose}>
      <Form form={form} submit="Create the flag" onCancel={onClose}>
        <TextField
          form={form}
          name="name"
          label="Name"
          hint={
            pattern
              ? `Must match ${pattern}${example ? `, such as ${example}` : ""}.`
              : "Code refers to the flag by this name, so it can't be changed later."
          }
          isRequired
          autofocus
        />
        <ChoiceField
          form={form}
          name="type"
          label="Type"
          hint={types.find((type) => type.id === form.values.type)?.description}
          choices={types.map((type) => [type.id, type.name])}
        />
        <LongField form={form} name="description" label="Description" />
        <CheckField
          form={form}
          name="impressionData"
          label="Impression data: SDKs emit an event for each evaluation"
        />
      </Form>
    </Dialog>
  );
}
