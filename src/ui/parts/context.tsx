import { LongField, TextField } from "./fields.tsx";
import type { FormState } from "./form.tsx";

/** The fields of an evaluation context: the user, and any others by name. */
export const ContextFields = <T extends { userId: string; more: string }>({
  form,
}: {
  form: FormState<T>;
}) => {
  const plain = form as unknown as FormState<{ userId: string; more: string }>;
  return (
    <>
      <TextField form={plain} name="userId" label="userId" />
      <LongField
        form={plain}
        name="more"
        label="Other context fields"
        hint="One per line, such as country=NO"
      />
    </>
  );
};

/** The context that was typed, in the form the playground takes. @throws Error for a line without `=` */
export function toContext(userId: string, more: string) {
  const fields = more
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [name = "", ...value] = line.split("=");
      if (value.length === 0) throw new Error(`Write context fields as country=NO, not as ${line}`);
      return [name.trim(), value.join("=").trim()];
    });
  return { appName: "page", ...(userId !== "" && { userId }), ...Object.fromEntries(fields) };
}
