import type { Output } from "../../api.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Conflict, submitOf, useEdit, type Version } from "../../parts/edit.tsx";
import { Current } from "../../parts/edit-dialog.tsx";
import { useForm } from "../../parts/form.tsx";
import { change } from "../../reads.ts";
import { newDraft, toBody, toDraft } from "./strategy-draft.ts";
import { StrategyForm } from "./strategy-form.tsx";
import { type FlagPlace, paramsOf } from "./switch-flag.ts";

const STRATEGIES =
  "/api/admin/projects/:projectId/features/:featureName/environments/:environment/strategies";

interface NewStrategyProps {
  place: FlagPlace;
  onClose(): void;
}

/** Adds a strategy; the draft starts as the most common one, a gradual rollout. */
export function NewStrategy({ place, onClose }: NewStrategyProps) {
  const form = useForm(newDraft(place.feature), async (draft) => {
    await change(`POST ${STRATEGIES}`, { params: paramsOf(place), body: toBody(draft) });
    onClose();
  });
  return (
    <Dialog title={`New strategy in ${place.environment}`} onClose={onClose} isWide>
      <StrategyForm form={form} project={place.project} submit="Add the strategy" onCancel={onClose} isNew />
    </Dialog>
  );
}

interface EditStrategyProps extends NewStrategyProps {
  id: string;
}

/** Edits a strategy, and shows changes that others make meanwhile. */
export function EditStrategy({ place, id, onClose }: EditStrategyProps) {
  const params = { ...paramsOf(place), strategyId: id };
  return (
    <Dialog title={`Strategy in ${place.environment}`} onClose={onClose} isWide>
      <Current of={[`GET ${STRATEGIES}/:strategyId`, { params }]}>
        {(version) => <Editor {...version} place={place} onClose={onClose} />}
      </Current>
    </Dialog>
  );
}

type Strategy = Output<`GET ${typeof STRATEGIES}/:strategyId`>;

function Editor({ place, now, read, onClose }: NewStrategyProps & Version<Strategy>) {
  const params = { ...paramsOf(place), strategyId: now.id };
  const edit = useEdit({
    now,
    read,
    toValues: toDraft,
    async save(draft, ifStill) {
      await change(`PUT ${STRATEGIES}/:strategyId`, { params, body: toBody(draft), ifStill });
      onClose();
    },
  });
  return (
    <StrategyForm
      form={edit.form}
      project={place.project}
      submit={submitOf(edit, "Save the strategy")}
      onCancel={onClose}
    >
      <Conflict edit={edit} />
    </StrategyForm>
  );
}
