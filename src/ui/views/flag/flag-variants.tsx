import type { Output } from "../../api.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { EditForm, useEdit, type Version } from "../../parts/edit.tsx";
import { Current } from "../../parts/edit-dialog.tsx";
import { VariantsEditor } from "../../parts/variants.tsx";
import { change } from "../../reads.ts";
import { type FlagPlace, paramsOf } from "./switch-flag.ts";

const VARIANTS = "/api/admin/projects/:projectId/features/:featureName/environments/:environment/variants";

interface FlagVariantsProps {
  place: FlagPlace;
  onClose(): void;
}

/** The variants of a flag in an environment, for strategies without variants of their own. */
export const FlagVariants = ({ place, onClose }: FlagVariantsProps) => (
  <Dialog title={`Variants in ${place.environment}`} onClose={onClose} isWide>
    <Current of={[`GET ${VARIANTS}`, { params: paramsOf(place) }]}>
      {(version) => <Editor {...version} place={place} onClose={onClose} />}
    </Current>
  </Dialog>
);

type Now = Output<`GET ${typeof VARIANTS}`>;

const toValues = ({ variants }: Now) => ({ variants: variants as readonly Now["variants"][number][] });

function Editor({ place, now, read, onClose }: FlagVariantsProps & Version<Now>) {
  const params = paramsOf(place);
  const edit = useEdit({
    now,
    read,
    toValues,
    async save({ variants }, ifStill) {
      await change(`PUT ${VARIANTS}`, { params, body: [...variants], ifStill });
      onClose();
    },
  });
  const { form } = edit;
  return (
    <EditForm edit={edit} submit="Save the variants" onCancel={onClose}>
      <p>For everyone who gets the flag here, unless the strategy has its own variants.</p>
      <VariantsEditor
        variants={form.values.variants}
        onChange={(variants) => form.set("variants", variants)}
      />
    </EditForm>
  );
}
