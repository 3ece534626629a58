import { request } from "../../api.ts";
import { useLast } from "../../last.ts";
import { Answer } from "../../parts/answer.tsx";
import { EditForm, useEdit } from "../../parts/edit.tsx";
import { CheckField, ChoiceField, LongField } from "../../parts/fields.tsx";
import { tell } from "../../parts/messages.tsx";
import { change, useRead } from "../../reads.ts";
import type { Flag } from "./flag-frame.tsx";

const FEATURE = "/api/admin/projects/:projectId/features/:featureName";

const paramsOf = ({ project, name }: Flag) => ({ projectId: project, featureName: name });

/** The settings of a flag; edits are compared with the flag alone, without its environments. */
export function Description({ flag }: { flag: Flag }) {
  const read = useRead(`GET ${FEATURE}`, { params: paramsOf(flag) });
  const data = useLast(read.data); // the frame of the view reports errors
  return (
    <section>
      <h2>General</h2>
      <Answer read={{ ...read, data }}>{(flag) => <DescriptionForm flag={flag} />}</Answer>
    </section>
  );
}

const toValues = ({ type, description, stale, impressionData }: Flag) => ({
  type,
  description: description ?? "",
  stale,
  impressionData,
});

function DescriptionForm({ flag }: { flag: Flag }) {
  const types = useRead("GET /api/admin/feature-types").data?.types ?? [];
  const params = paramsOf(flag);
  const edit = useEdit({
    now: flag,
    read: () => request(`GET ${FEATURE}`, { params }),
    toValues,
    async save(values, ifStill) {
      await change(`PUT ${FEATURE}`, { params, body: { ...values, name: flag.name }, ifStill });
      tell("Saved");
    },
  });
  const { form } = edit;
  return (
    <EditForm edit={edit} submit="Save">
      <ChoiceField form={form} name="type" label="Type" choices={types.map(({ id, name }) => [id, name])} />
      <LongField form={form} name="description" label="Description" />
      <CheckField form={form} name="stale" label="Stale: ready to be removed from the code" />
      <CheckField
        form={form}
        name="impressionData"
        label="Impression data: SDKs emit an event for each evaluation"
      />
    </EditForm>
  );
}
