import { useDialog } from "../../address.ts";
import type { Output } from "../../api.ts";
import { IconButton } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { useForm } from "../../parts/form.tsx";
import { change, useRead } from "../../reads.ts";
import { strategyInWords } from "../../sentence.ts";
import { may } from "../../session.ts";
import { newDraft, toBody, toDraft } from "../flag/strategy-draft.ts";
import { StrategyForm } from "../flag/strategy-form.tsx";

type Environment = Output<"GET /api/admin/environments/project/:projectId">["environments"][number];
type Strategy = NonNullable<Environment["defaultStrategy"]>;

interface DefaultStrategyProps {
  project: string;
  environment: string;
  /** Undefined if the project has set none: flags are then on for everyone. */
  strategy: Strategy | undefined;
}

/** The strategy a flag without any gets when it is turned on in an environment, in words, with a button to edit it. */
export function DefaultStrategy({ project, environment, strategy }: DefaultStrategyProps) {
  const editing = useDialog("edit");
  const segments = useRead("GET /api/admin/segments").data?.segments ?? [];
  const names = segments.filter(({ id }) => strategy?.segments?.includes(id)).map(({ name }) => name);
  const isAllowed =
    may("UPDATE_PROJECT", { project }) || may("PROJECT_DEFAULT_STRATEGY_WRITE", { project, environment });
  return (
    <>
      {strategy ? strategyInWords(strategy, names) : "Everyone"}{" "}
      {isAllowed && (
        <IconButton
          icon="edit"
          label={`Edit the default strategy in ${environment}`}
          onClick={() => editing.open(environment)}
        />
      )}
      {editing.of === environment && (
        <Editor project={project} environment={environment} strategy={strategy} onClose={editing.close} />
      )}
    </>
  );
}

function Editor({ project, environment, strategy, onClose }: DefaultStrategyProps & { onClose(): void }) {
  const params = { projectId: project, environment };
  const form = useForm(strategy ? toDraft(strategy) : newDraft(""), async (draft) => {
    const body = { ...toBody(draft), name: "flexibleRollout" as const }; // the only strategy allowed as a default
    await change("POST /api/admin/projects/:projectId/environments/:environment/default-strategy", {
      params,
      body,
    });
    onClose();
  });
  return (
    <Dialog title={`Default strategy in ${environment}`} onClose={onClose} isWide>
      <p>Flags without strategies get this one when they are turned on here. Other flags stay as they are.</p>
      <StrategyForm form={form} project={project} submit="Save the default strategy" onCancel={onClose} />
    </Dialog>
  );
}
