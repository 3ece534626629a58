import { useState } from "preact/hooks";
import { type Output, RequestError, request } from "../../api.ts";
import { Answer } from "../../parts/answer.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Differences } from "../../parts/differences.tsx";
import { useForm } from "../../parts/form.tsx";
import { change, useOnce } from "../../reads.ts";
import { newDraft, toBody, toDraft } from "./strategy-draft.ts";
import { StrategyForm } from "./strategy-form.tsx";
import { type FlagPlace, paramsOf } from "./switch-flag.ts";

const STRATEGIES =
  "/api/admin/projects/:projectId/features/:featureName/environments/:environment/strategies";

interface NewStrategyProps {
  place: FlagPlace;
  onClose(): void;
}

/** A new one begins as the strategy that is most used: a share of the users. */
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

/** Edits a strategy as it was when it was opened. */
export function EditStrategy({ place, id, onClose }: EditStrategyProps) {
  const [round, setRound] = useState(0);
  const params = { ...paramsOf(place), strategyId: id };
  const read = useOnce(() => request(`GET ${STRATEGIES}/:strategyId`, { params }), round);
  return (
    <Dialog title={`Strategy in ${place.environment}`} onClose={onClose} isWide>
      <Answer read={read}>
        {(strategy) => (
          <Edit
            key={round}
            place={place}
            strategy={strategy}
            onClose={onClose}
            onReload={() => setRound(round + 1)}
          />
        )}
      </Answer>
    </Dialog>
  );
}

type Strategy = Output<`GET ${typeof STRATEGIES}/:strategyId`>;

interface EditProps extends NewStrategyProps {
  strategy: Strategy;
  /** Begins again with what is there now. */
  onReload(): void;
}

function Edit({ place, strategy, onClose, onReload }: EditProps) {
  const params = { ...paramsOf(place), strategyId: strategy.id };
  const [current, setCurrent] = useState<Strategy | undefined>();
  const form = useForm(toDraft(strategy), async (draft) => {
    try {
      const ifStill = current ?? strategy;
      await change(`PUT ${STRATEGIES}/:strategyId`, { params, body: toBody(draft), ifStill });
      onClose();
    } catch (error) {
      if (error instanceof RequestError && error.status === 412) {
        setCurrent(await request(`GET ${STRATEGIES}/:strategyId`, { params }));
      }
      throw error;
    }
  });
  return (
    <>
      <StrategyForm
        form={form}
        project={place.project}
        submit={current ? "Overwrite with mine" : "Save the strategy"}
        onCancel={onClose}
      />
      {current && (
        <section class="conflict" role="alert">
          <p>
            Someone else has changed it in the meantime. On the left is what it is now, on the right is yours.{" "}
            <button type="button" onClick={onReload}>
              Discard mine
            </button>
          </p>
          <Differences before={toDraft(current)} after={form.values} />
        </section>
      )}
    </>
  );
}
