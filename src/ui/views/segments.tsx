import { useFilters } from "../address.ts";
import type { Output } from "../api.ts";
import { type Constraint, Constraints } from "../parts/constraints.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { EditableList } from "../parts/editable-list.tsx";
import { ChoiceField, LongField, TextField } from "../parts/fields.tsx";
import { Form, useForm } from "../parts/form.tsx";
import { UseCount, Uses } from "../parts/uses.tsx";
import { change, mapRead, useRead } from "../reads.ts";
import { constraintInWords } from "../sentence.ts";
import { may } from "../session.ts";

type Segment = Output<"GET /api/admin/segments">["segments"][number];

/** Conditions under a name, which many strategies share. */
export function View() {
  const [{ uses }, setFilters] = useFilters({ uses: "" });
  const read = useRead("GET /api/admin/segments");
  const used = read.data?.segments.find(({ id }) => String(id) === uses);
  const mayDo = (permission: string) => (segment?: Segment) =>
    may(permission) || may("UPDATE_PROJECT_SEGMENT", { project: segment?.project });
  return (
    <>
      <EditableList<Segment>
        title="Segments"
        noun="segment"
        read={mapRead(read, ({ segments }) => segments)}
        keyOf={({ id }) => String(id)}
        nameOf={({ name }) => name}
        columns={[
          { title: "Name", kind: "main", cell: ({ name }) => <bdi>{name}</bdi> },
          {
            title: "Constraints",
            kind: "main",
            cell: ({ constraints }) => <bdi>{constraints.map(constraintInWords).join(", and ")}</bdi>,
          },
          { title: "Project", cell: ({ project }) => <bdi>{project ?? "all"}</bdi> },
          {
            title: "Used by",
            cell: ({ id, name, usedInFeatures, usedInProjects }) => (
              <UseCount
                name={name}
                features={usedInFeatures}
                projects={usedInProjects}
                onOpen={() => setFilters({ uses: String(id) })}
              />
            ),
          },
        ]}
        editor={(edited) => <SegmentEditor {...edited} />}
        mayCreate={mayDo("CREATE_SEGMENT")()}
        mayChange={mayDo("UPDATE_SEGMENT")}
        removal={{
          isAllowed: mayDo("DELETE_SEGMENT"),
          remove: ({ id }) => change("DELETE /api/admin/segments/:id", { params: { id } }),
          lossOf: () => "A segment that is in use can't be deleted.",
        }}
      />
      {used && <SegmentUses segment={used} onClose={() => setFilters({ uses: "" })} />}
    </>
  );
}

function SegmentUses({ segment: { id, name }, onClose }: { segment: Segment; onClose(): void }) {
  const read = useRead("GET /api/admin/segments/:id/strategies", { params: { id } });
  return <Uses name={name} read={read} onClose={onClose} />;
}

function SegmentEditor({ row, onClose }: { row: Segment | undefined; onClose(): void }) {
  const projects = useRead("GET /api/admin/projects").data?.projects ?? [];
  const initial = {
    name: row?.name ?? "",
    description: row?.description ?? "",
    project: row?.project ?? "",
    constraints: (row?.constraints ?? []) as readonly Constraint[],
  };
  const form = useForm(initial, async ({ constraints, ...rest }) => {
    const body = { ...rest, constraints: [...constraints] };
    if (row) await change("PUT /api/admin/segments/:id", { params: { id: row.id }, body });
    else await change("POST /api/admin/segments", { body });
    onClose();
  });
  return (
    <Dialog title={row ? `Segment ${row.name}` : "New segment"} onClose={onClose} isWide>
      <Form form={form} submit={row ? "Save" : "Create the segment"} onCancel={onClose}>
        <TextField form={form} name="name" label="Name" isRequired autofocus />
        <LongField form={form} name="description" label="Description" rows={2} />
        <ChoiceField
          form={form}
          name="project"
          label="Project"
          choices={[["", "all"], ...projects.map(({ id, name }) => [id, name] as const)]}
        />
        <Constraints
          constraints={form.values.constraints}
          onChange={(constraints) => form.set("constraints", constraints)}
          problem={form.problemOf("constraints")}
        />
      </Form>
    </Dialog>
  );
}
