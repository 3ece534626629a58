import type { Output } from "../api.ts";
import { EditForm, useEdit } from "../parts/edit.tsx";
import { EditDialog, type EditProps } from "../parts/edit-dialog.tsx";
import { EditableList } from "../parts/editable-list.tsx";
import { LongField, TextField } from "../parts/fields.tsx";
import { change, mapRead, useRead } from "../reads.ts";
import { may } from "../session.ts";

type TagType = Output<"GET /api/admin/tag-types">["tagTypes"][number];

/** The types of tags that flags can have. */
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

const TAG_TYPE = "/api/admin/tag-types/:name";

const TagTypeEditor = ({ row, onClose }: { row: TagType | undefined; onClose(): void }) => (
  <EditDialog
    title={row ? `Tag type ${row.name}` : "New tag type"}
    of={row && [`GET ${TAG_TYPE}`, { params: { name: row.name } }]}
    onClose={onClose}
  >
    {(version) => <TagTypeForm {...version} onClose={onClose} />}
  </EditDialog>
);

type Now = Output<`GET ${typeof TAG_TYPE}`> | undefined;

const toValues = (now: Now) => ({
  name: now?.tagType.name ?? "",
  description: now?.tagType.description ?? "",
});

function TagTypeForm({ now, read, onClose }: EditProps<Now>) {
  const edit = useEdit({
    now,
    read,
    toValues,
    async save({ name, description }, ifStill) {
      if (ifStill) await change(`PUT ${TAG_TYPE}`, { params: { name }, body: { description }, ifStill });
      else await change("POST /api/admin/tag-types", { body: { name, description } });
      onClose();
    },
  });
  const { form } = edit;
  return (
    <EditForm edit={edit} submit={now ? "Save" : "Create the tag type"} onCancel={onClose}>
      {!now && (
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
    </EditForm>
  );
}
