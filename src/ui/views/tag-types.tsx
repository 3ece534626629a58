import type { Output } from "../api.ts";
import { Dialog } from "../parts/dialog.tsx";
import { EditableList } from "../parts/editable-list.tsx";
import { LongField, TextField } from "../parts/fields.tsx";
import { Form, useForm } from "../parts/form.tsx";
import { change, mapRead, useRead } from "../reads.ts";
import { may } from "../session.ts";

type TagType = Output<"GET /api/admin/tag-types">["tagTypes"][number];

/** What flags can be tagged with. */
export function View() {
  const read = useRead("GET /api/admin/tag-types");
  return (
    <EditableList<TagType>
      title="Tag types"
      noun="tag type"
      read={mapRead(read, ({ tagTypes }) => tagTypes)}
      keyOf={({ name }) => name}
      columns={[
        { title: "Name", kind: "main", cell: ({ name }) => <bdi>{name}</bdi> },
        { title: "Description", cell: ({ description }) => <bdi>{description}</bdi> },
      ]}
      editor={(edited) => <TagTypeEditor {...edited} />}
      mayCreate={may("CREATE_TAG_TYPE")}
      mayChange={() => may("UPDATE_TAG_TYPE")}
      removal={{
        isAllowed: () => may("DELETE_TAG_TYPE"),
        remove: ({ name }) => change("DELETE /api/admin/tag-types/:name", { params: { name } }),
        lossOf: () => "All tags of this type will be removed from their flags.",
      }}
    />
  );
}

function TagTypeEditor({ row, onClose }: { row: TagType | undefined; onClose(): void }) {
  const initial = { name: row?.name ?? "", description: row?.description ?? "" };
  const form = useForm(initial, async ({ name, description }) => {
    if (row) await change("PUT /api/admin/tag-types/:name", { params: { name }, body: { description } });
    else await change("POST /api/admin/tag-types", { body: { name, description } });
    onClose();
  });
  return (
    <Dialog title={row ? `Tag type ${row.name}` : "New tag type"} onClose={onClose}>
      <Form form={form} submit={row ? "Save" : "Create the tag type"} onCancel={onClose}>
        {!row && (
          <TextField
            form={form}
            name="name"
            label="Name"
            hint="2 to 50 URL-friendly characters."
            isRequired
            autofocus
          />
        )}
        <LongField form={form} name="description" label="Description" />
      </Form>
    </Dialog>
  );
}
