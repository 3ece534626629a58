import type { Output } from "../api.ts";
import { WeightsBar } from "./bars.tsx";
import { Button, IconButton } from "./button.tsx";
import { FieldProblem } from "./form.tsx";
import { useNewRow } from "./new-row.ts";

export type Variant =
  Output<"GET /api/admin/projects/:projectId/features/:featureName/environments/:environment/strategies">[number]["variants"][number];

/** What is edited here. */
type Edited = Omit<Variant, "stickiness">;

interface VariantsEditorProps<T extends Edited> {
  variants: readonly T[];
  onChange(variants: readonly T[]): void;
  problem?: string | undefined;
}

/** The sum of all weights, in thousandths. */
const TOTAL_WEIGHT = 1000;

/** Edits variants, with their weights as one bar; variants that aren't fixed share the remaining weight. */
export function VariantsEditor<T extends Edited>({ variants, onChange, problem }: VariantsEditorProps<T>) {
  const [list, announce] = useNewRow(variants.length, ".variant");
  const add = () => {
    announce();
    onChange(withWeights([...variants, first]));
  };
  const replace = (index: number, changed: Partial<Edited>) =>
    onChange(
      withWeights(variants.map((variant, at) => (at === index ? { ...variant, ...changed } : variant))),
    );
  const first = { name: "", weight: 0, weightType: "variable", stickiness: "default" } as Edited as T;
  return (
    <fieldset ref={list} class="variants">
      <legend>Variants</legend>
      {variants.length > 0 && <WeightsBar variants={variants} />}
      {variants.map((variant, index) => (
        <VariantRow
          key={index}
          number={index + 1}
          variant={variant}
          onChange={(changed) => replace(index, changed)}
          onRemove={() => onChange(withWeights(variants.filter((_, at) => at !== index)))}
        />
      ))}
      <FieldProblem problem={problem} />
      <Button icon="add" onClick={add}>
        Add a variant
      </Button>
    </fieldset>
  );
}

/** Keeps fixed weights; the other variants share the rest, so that all weights add up to the total. */
export function withWeights<T extends Edited>(variants: readonly T[]): T[] {
  const fixed = variants.filter(({ weightType }) => weightType === "fix");
  const left = Math.max(0, TOTAL_WEIGHT - fixed.reduce((sum, { weight }) => sum + weight, 0));
  const sharers = variants.length - fixed.length;
  let index = 0;
  return variants.map((variant) => {
    if (variant.weightType === "fix") return variant;
    const weight = Math.floor(left / sharers) + (index++ < left % sharers ? 1 : 0);
    return { ...variant, weight };
  });
}

interface VariantRowProps {
  number: number;
  variant: Edited;
  onChange(changed: Partial<Edited>): void;
  onRemove(): void;
}

function VariantRow({ number, variant, onChange, onRemove }: VariantRowProps) {
  const { name, weight, weightType, payload } = variant;
  const label = (what: string) => `${what} of variant ${number}`;
  return (
    <div class="variant">
      <input
        aria-label={label("Name")}
        placeholder="Name"
        required
        value={name}
        onInput={(event) => onChange({ name: event.currentTarget.value })}
      />
      <label>
        <input
          type="checkbox"
          checked={weightType === "fix"}
          onChange={(event) => onChange({ weightType: event.currentTarget.checked ? "fix" : "variable" })}
        />
        Fixed
      </label>
      <span>
        <input
          type="number"
          aria-label={label("Percent")}
          min={0}
          max={100}
          step={0.1}
          disabled={weightType !== "fix"}
          value={weight / 10}
          onInput={(event) => onChange({ weight: Math.round(Number(event.currentTarget.value) * 10) })}
        />
        %
      </span>
      <select
        aria-label={label("Payload type")}
        value={payload?.type ?? ""}
        onChange={(event) => onChange({ payload: toPayload(event.currentTarget.value, payload?.value) })}
      >
        <option value="">no payload</option>
        {["string", "json", "csv", "number"].map((type) => (
          <option key={type}>{type}</option>
        ))}
      </select>
      {payload && (
        <textarea
          aria-label={label("Payload")}
          rows={1}
          value={payload.value}
          onInput={(event) => onChange({ payload: { ...payload, value: event.currentTarget.value } })}
        />
      )}
      <IconButton icon="remove" label={`Remove variant ${number}`} onClick={onRemove} />
    </div>
  );
}

const toPayload = (type: string, value = "") =>
  type === "" ? undefined : ({ type, value } as NonNullable<Variant["payload"]>);
