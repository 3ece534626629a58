import { useDialog } from "../address.ts";
import type { Output } from "../api.ts";
import { counted } from "../format.ts";
import { type Constraint, Constraints, cleaned } from "../parts/constraints.tsx";
import { EditForm, useEdit } from "../parts/edit.tsx";
import { EditDialog, type EditProps } from "../parts/edit-dialog.tsx";
import { EditableList } from "../parts/editable-list.tsx";
import { ChoiceField, LongField, TextField } from "../parts/fields.tsx";
import { UseCount, Uses } from "../parts/uses.tsx";
import { change, mapRead, useRead } from "../reads.ts";
import { constraintInWords } from "../sentence.ts";
import { may } from "../session.ts";

type Segment = Output<"GET /api/admin/segments">["segments"][number];

/** Named sets of constraints that strategies share. */
export function View() {
  const uses = useDialog("uses");
  const read = useRead("GET /api/admin/segments");
  const used = read.data?.segments.find(({ id }) => String(id) === uses.of);
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
                onOpen={() => uses.open(String(id))}
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
          obstacleTo: ({ usedInFeatures: flags }) =>
            flags ? `It is used by ${counted(flags, "flag")}: remove it from there first.` : undefined,
          lossOf: () => "No flag uses it. Its constraints will be lost.",
        }}
      />
      {used && <SegmentUses segment={used} onClose={uses.close} />}
    </>
  );
}

function SegmentUses({ segment: { id, name }, onClose }: { segment: Segment; onClose(): void }) {
  const read = useRead("GET /api/admin/segments/:id/strategies", { params: { id } });
  return <Uses name={name} read={read} onClose={onClose} />;
}

const SEGMENT = "/api/admin/segments/:id";

const SegmentEditor = ({ row, onClose }: { row: Segment | undefined; onClose(): void }) => (
  <EditDialog
    title={row ? `Segment ${row.name}` : "New segment"}
    of={row && [`GET ${SEGMENT}`, { params: { id: row.id } }]}
    onClose={onClose}
    isWide
  >
    {(version) => <SegmentForm {...version} onClose={onClose} />}
  </EditDialog>
);

type Now = Output<`GET ${typeof SEGMENT}`> | undefined;

const toValues = (now: Now) => ({
  name: now?.name ?? "",
  description: now?.description ?? "",
  project: now?.project ?? "",
  constraints: (now?.constraints ?? []) as readonly Constraint[],
});

function SegmentForm({ now, read, onClose }: EditProps<Now>) {
  const projects = useRead("GET /api/admin/projects").data?.projects ?? [];
  const edit = useEdit({
    now,
    read,
    toValues,
    async save({ constraints, ...rest }, ifStill) {
      const body = { ...rest, constraints: cleaned(constraints) };
      if (ifStill) await change(`PUT ${SEGMENT}`, { params: { id: ifStill.id }, body, ifStill });
      else await change("POST /api/admin/segments", { body });
      onClose();
    },
  });
  const { form } = edit;
  return (
    <EditForm edit={edit} submit={now ? "Save" : "Create the segment"} onCancel={onClose}>
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
    </EditForm>
  );
}
