import type { ComponentChildren } from "preact";
import { type Control, Field } from "./fields.tsx";

/** A file that the user has; it can also be dropped on the control. */
export const file =
  (label: string, { hint }: { hint: ComponentChildren }): Control<File | undefined> =>
  ({ name, onChange, problem }) => (
    <Field label={label} hint={hint} problem={problem()}>
      {(described) => (
        <input
          {...described}
          type="file"
          name={name}
          required
          onChange={({ currentTarget }) => onChange(currentTarget.files?.[0])}
        />
      )}
    </Field>
  );

/** Gives the user a file, which the browser keeps where downloads are. */
export function saveFile(content: Blob, name: string) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
