import { useRead } from "../reads.ts";
import { ChecksField } from "./fields.tsx";
import type { FormState } from "./form.tsx";

/** The projects something is limited to, from those the user can see. */
export function ProjectsField<T extends { projects: readonly string[] }>({ form }: { form: FormState<T> }) {
  const projects = useRead("GET /api/admin/projects").data?.projects ?? [];
  return (
    <ChecksField
      form={form as unknown as FormState<{ projects: readonly string[] }>}
      name="projects"
      label="Projects"
      hint="All projects if none is selected."
      choices={projects.map(({ id, name }) => [id, name])}
    />
  );
}
