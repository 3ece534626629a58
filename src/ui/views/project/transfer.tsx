import { useState } from "preact/hooks";
import { type Input, type Output, request } from "../../api.ts";
import { count, counted, listed } from "../../format.ts";
import { tell } from "../../messages.ts";
import { Dialog, FormDialog, useClose } from "../../parts/dialog.tsx";
import { choice, choicesOf, long } from "../../parts/fields.tsx";
import { file, saveFile } from "../../parts/file.tsx";
import { Form, problemAt, useForm } from "../../parts/form.tsx";
import { change } from "../../reads.ts";

interface TransferProps {
  project: string;
  environments: readonly string[];
}

/** Saves flags as they are in an environment to a file, those named or all of the project. */
export const ExportFlags = ({ project, environments, features }: TransferProps & { features?: string[] }) => (
  <FormDialog
    title={features ? `Export ${counted(features.length, "flag")}` : "Export all flags"}
    initial={{ environment: environments.at(-1) ?? "" }}
    fields={() => ({
      environment: choice("Environment", choicesOf(environments), {
        hint: "The file tells where in it the flags are on, and for whom. Unleash and Flagstone import it.",
      }),
    })}
    submit="Export"
    send={async ({ environment }) => {
      const body = { environment, ...(features ? { features } : { project }) };
      const exported = await change("POST /api/admin/features-batch/export", { body });
      saveFile(new Blob([JSON.stringify(exported, null, 2)]), `${project}-${environment}.json`);
      tell(`Exported ${counted(exported.features.length, "flag")}`);
    }}
  />
);

type Body = Input<"POST /api/admin/features-batch/import">["body"];
type Check = Output<"POST /api/admin/features-batch/validate">;

/** An import that was checked, and what was found. */
interface Checked {
  chosen: object;
  body: Body;
  check: Check;
}

/** Imports a file of flags into an environment of a project, once a check has told what will happen. */
export function ImportFlags({ project, environments }: TransferProps) {
  const close = useClose();
  const [found, setFound] = useState<Checked>();
  const initial = {
    from: "file",
    file: undefined as File | undefined,
    text: "",
    environment: environments[0] ?? "",
  };
  const form = useForm(initial, async (chosen) => {
    if (found?.chosen === chosen && isPossible(found)) {
      await change("POST /api/admin/features-batch/import", { body: found.body });
      tell(`Imported ${counted(found.body.data.features.length, "flag")}`);
      return close();
    }
    setFound(undefined);
    const body = { project, environment: chosen.environment, data: await dataOf(chosen) };
    setFound({ chosen, body, check: await request("POST /api/admin/features-batch/validate", { body }) });
  });
  const checked = found?.chosen === form.values ? found : undefined;
  const isReady = checked && isPossible(checked);
  return (
    <Dialog title="Import flags" isWide>
      <Form
        form={form}
        fields={{
          from: FROM,
          file: form.values.from === "file" && FILE,
          text: form.values.from === "text" && TEXT,
          environment: choice("Into the environment", choicesOf(environments)),
        }}
        submit={isReady ? "Import" : "Check"}
        onCancel={close}
      >
        <div role="status">{checked && <Findings {...checked} />}</div>
      </Form>
    </Dialog>
  );
}

const FROM = choice("From", [
  ["file", "a file"],
  ["text", "a text"],
]);
const FILE = file("File", {
  hint: "An export of flags, of Unleash or Flagstone. Choose it, or drop it here.",
});
const TEXT = long("Text", { rows: 10, hint: "An export of flags: JSON." });

/** @throws Error with the field that it isn't JSON */
async function dataOf({ from, file, text }: { from: string; file: File | undefined; text: string }) {
  const json = from === "file" ? ((await file?.text()) ?? "") : text;
  try {
    return JSON.parse(json) as Body["data"];
  } catch (error) {
    throw problemAt(from, `is not JSON: ${(error as Error).message}`);
  }
}

const isPossible = ({ check: { errors, permissions } }: Checked) => errors.length + permissions.length === 0;

const Findings = (checked: Checked) => (
  <>
    <p>
      {isPossible(checked) ? "This would be imported: " : "This can't be imported: "}
      {contentsOf(checked.body)}.
    </p>
    <Kind title="In the way" findings={checked.check.errors} />
    <Kind title="What you may not do" findings={checked.check.permissions} />
    <Kind title="To know" findings={checked.check.warnings} />
  </>
);

const contentsOf = ({ data }: Body) =>
  listed(
    PARTS.map(([part, one, many]) => [data[part]?.length ?? 0, one, many] as const)
      .filter(([number]) => number > 0)
      .map(([number, one, many]) => `${count(number)} ${number === 1 ? one : many}`),
  ) || "nothing";

const PARTS = [
  ["features", "flag", "flags"],
  ["featureStrategies", "strategy", "strategies"],
  ["featureTags", "tag", "tags"],
  ["contextFields", "context field", "context fields"],
  ["segments", "segment", "segments"],
] as const;

const Kind = ({ title, findings }: { title: string; findings: Check["errors"] }) =>
  findings.length > 0 ? (
    <section>
      <h3>{title}</h3>
      <ul>
        {findings.map(({ message, affectedItems }) => (
          <li key={message}>
            {message}: <bdi>{affectedItems.join(", ")}</bdi>
          </li>
        ))}
      </ul>
    </section>
  ) : null;
