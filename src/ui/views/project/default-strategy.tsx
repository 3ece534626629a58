import { useState } from "preact/hooks";
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
  /** Undefined while the project has set none: then flags are on for everyone. */
  strategy: Strategy | undefined;
}

/** What a flag without strategies gets when it is turned on in an environment, in words, and the way to change it. */
export function DefaultStrategy({ project, environment, strategy }: DefaultStrategyProps) {
  const [isOpen, setOpen] = useState(false);
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
          onClick={() => setOpen(true)}
        />
      )}
      {isOpen && (
        <Editor
          project={project}
          environment={environment}
          strategy={strategy}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

function Editor({ project, environment, strategy, onClose }: DefaultStrategyProps & { onClose(): void }) {
  const params = { projectId: project, environment };
  const form = useForm(strategy ? toDraft(strategy) : newDraft(""), async (draft) => {
    const body = { ...toBody(draft), name: "flexibleRollout" as const }; // no other can be a default
    await change("POST /api/admin/projects/:projectId/environments/:environment/default-strategy", {
      params,
      body,
    });
    onClose();
  });
  return (
    <Dialog title={`Default strategy in ${environment}`} onClose={onClose} isWide>
      <p>Flags without strategies get it when they are turned on here. Other flags stay as they are.</p>
      <StrategyForm form={form} project={project} submit="Save the default strategy" onCancel={onClose} />
    </Dialog>
  );
}
