import { useState } from "preact/hooks";
import { type Output, request } from "../../api.ts";
import { ContextFields, toContext } from "../../parts/context.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ChoiceField, choicesOf } from "../../parts/fields.tsx";
import { Form, useForm } from "../../parts/form.tsx";
import { Reasons } from "../../parts/reasons.tsx";
import type { Flag } from "./flag-frame.tsx";

type EvaluatedFlag = Output<"POST /api/admin/playground">["features"][number];

/** Evaluates the flag for a context, and explains the result. */
export function TryIt({ flag, onClose }: { flag: Flag; onClose(): void }) {
  const [result, setResult] = useState<EvaluatedFlag | undefined>();
  const environment = flag.environments.find(({ enabled }) => enabled) ?? flag.environments[0];
  const form = useForm(
    { environment: environment?.name ?? "", userId: "", more: "" },
    async ({ environment, userId, more }) => {
      const { features } = await request("POST /api/admin/playground", {
        body: { environment, projects: [flag.project], context: toContext(userId, more) },
      });
      setResult(features.find(({ name }) => name === flag.name));
    },
  );
  return (
    <Dialog title={`Who gets ${flag.name}?`} onClose={onClose} isWide>
      <Form form={form} submit="Evaluate">
        <ChoiceField
          form={form}
          name="environment"
          label="Environment"
          choices={choicesOf(flag.environments.map(({ name }) => name))}
        />
        <ContextFields form={form} />
      </Form>
      <div aria-live="polite">{result && <Reasons feature={result} />}</div>
    </Dialog>
  );
}
