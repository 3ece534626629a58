import type { Choice } from "./fields.tsx";

interface SelectProps {
  label: string;
  /** Empty for any. */
  value: string;
  choices: readonly Choice[];
  onChange(value: string): void;
}

/** A filter of a list: one of several choices, or any. */
export const Select = ({ label, value, choices, onChange }: SelectProps) => (
  <select aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
    <option value="">{label}: any</option>
    {choices.map(([choice, text]) => (
      <option key={choice} value={choice}>
        {text}
      </option>
    ))}
  </select>
);
