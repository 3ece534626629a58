import { useDialog } from "../address.ts";
import type { Output } from "../api.ts";
import { EditForm, useEdit } from "../parts/edit.tsx";
import { EditDialog, type EditProps } from "../parts/edit-dialog.tsx";
import { EditableList } from "../parts/editable-list.tsx";
import { CheckField, LongField, TextField } from "../parts/fields.tsx";
import { RowsField } from "../parts/rows.tsx";
import { UseCount, Uses } from "../parts/uses.tsx";
import { change, mapRead, useRead } from "../reads.ts";
import { may } from "../session.ts";

type ContextField = Output<"GET /api/admin/context">[number];

/** Fields of the evaluation context, which constraints compare. */
export function View() {
  const uses = useDialog("uses");
  const read = useRead("GET /api/admin/context");
  return (
    <>
      <EditableList<ContextField>
        title="Context fields"
        noun="context field"
        read={mapRead(read, (fields) => fields)}
        keyOf={({ name }) => name}
        columns={[
          { title: "Name", kind: "main", cell: ({ name }) => <bdi>{name}</bdi> },
          { title: "Description", cell: ({ description }) => <bdi>{description}</bdi> },
          {
            title: "Values",
            cell: ({ legalValues }) =>
              legalValues.length === 0 ? "any" : legalValues.map(({ value }) => value).join(", "),
          },
          { title: "Stickiness", cell: ({ stickiness }) => (stickiness ? "yes" : "no") },
          {
            title: "Used by",
            cell: ({ name, usedInFeatures, usedInProjects }) => (
              <UseCount
                name={name}
                features={usedInFeatures}
                projects={usedInProjects}
                onOpen={() => uses.open(name)}
              />
            ),
          },
        ]}
        editor={(edited) => <ContextFieldEditor {...edited} />}
        mayCreate={may("CREATE_CONTEXT_FIELD")}
        mayChange={() => may("UPDATE_CONTEXT_FIELD")}
        removal={{
          isAllowed: () => may("DELETE_CONTEXT_FIELD"),
          remove: ({ name }) =>
            change("DELETE /api/admin/context/:contextField", { params: { contextField: name } }),
          lossOf: () => "Constraints will no longer be able to use it.",
        }}
      />
      {uses.of && <FieldUses name={uses.of} onClose={uses.close} />}
    </>
  );
}

function FieldUses({ name, onClose }: { name: string; onClose(): void }) {
  const read = useRead("GET /api/admin/context/:contextField/strategies", { params: { contextField: name } });
  return <Uses name={name} read={read} onClose={onClose} />;
}

const NO_VALUE = { value: "", description: "" };

const FIELD = "/api/admin/context/:contextField";

const ContextFieldEditor = ({ row, onClose }: { row: ContextField | undefined; onClose(): void }) => (
  <EditDialog
    title={row ? `Context field ${row.name}` : "New context field"}
    of={row && [`GET ${FIELD}`, { params: { contextField: row.name } }]}
    onClose={onClose}
  >
    {(version) => <ContextFieldForm {...version} onClose={onClose} />}
  </EditDialog>
);

type Now = Output<`GET ${typeof FIELD}`> | undefined;

const toValues = (now: Now) => ({
  name: now?.name ?? "",
  description: now?.description ?? "",
  stickiness: now?.stickiness ?? false,
  legalValues: (now?.legalValues ?? []).map((one) => ({
    ...NO_VALUE,
    ...one,
  })) as readonly (typeof NO_VALUE)[],
});

function ContextFieldForm({ now, read, onClose }: EditProps<Now>) {
  const edit = useEdit({
    now,
    read,
    toValues,
    async save({ name, legalValues, ...rest }, ifStill) {
      const body = { ...rest, legalValues: [...legalValues] };
      if (ifStill) await change(`PUT ${FIELD}`, { params: { contextField: name }, body, ifStill });
      else await change("POST /api/admin/context", { body: { name, ...body } });
      onClose();
    },
  });
  const { form } = edit;
  return (
    <EditForm edit={edit} submit={now ? "Save" : "Create the context field"} onCancel={onClose}>
      {!now && <TextField form={form} name="name" label="Name" isRequired autofocus />}
      <LongField form={form} name="description" label="Description" />
      <CheckField
        form={form}
        name="stickiness"
        label="Available for stickiness"
        hint="Rollouts can use this field: the same value always gets the same result."
      />
      <RowsField
        form={form}
        name="legalValues"
        label="Values"
        noun="value"
        fresh={NO_VALUE}
        children={(one, set, of) => (
          <>
            <input
              aria-label={`Value ${of}`}
              value={one.value}
              onInput={(event) => set({ value: event.currentTarget.value })}
            />
            <input
              aria-label={`Description ${of}`}
              placeholder="description"
              value={one.description}
              onInput={(event) => set({ description: event.currentTarget.value })}
            />
          </>
        )}
      />
      <p class="muted">If no values are listed, constraints accept any value.</p>
    </EditForm>
  );
}
