import type { Output } from "../../api.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Form, useForm } from "../../parts/form.tsx";
import { VariantsEditor } from "../../parts/variants.tsx";
import { change } from "../../reads.ts";
import { type FlagPlace, paramsOf } from "./switch-flag.ts";

const VARIANTS = "/api/admin/projects/:projectId/features/:featureName/environments/:environment/variants";

type Variants = Output<`GET ${typeof VARIANTS}`>["variants"];

interface FlagVariantsProps {
  place: FlagPlace;
  variants: Variants;
  onClose(): void;
}

/** The variants that whoever gets a flag in an environment has, unless a strategy has its own. */
export function FlagVariants({ place, variants, onClose }: FlagVariantsProps) {
  const form = useForm({ variants: variants as readonly Variants[number][] }, async ({ variants }) => {
    await change(`PUT ${VARIANTS}`, { params: paramsOf(place), body: [...variants] });
    onClose();
  });
  return (
    <Dialog title={`Variants in ${place.environment}`} onClose={onClose} isWide>
      <Form form={form} submit="Save the variants" onCancel={onClose}>
        <p>For everyone who gets the flag here, unless a strategy has variants of its own.</p>
        <VariantsEditor
          variants={form.values.variants}
          onChange={(variants) => form.set("variants", variants)}
        />
      </Form>
    </Dialog>
  );
}
