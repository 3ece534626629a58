import type * as v from "valibot";
import { type FeatureHistory, readHistory } from "../history/versions.ts";
import { printable } from "../lib/text.ts";
import { valuesInWords } from "../transfer/project-step.ts";
import { plain } from "../undo/plan.ts";
import { command } from "./command.ts";
import { OPTIONS, requireFlag, withCall } from "./flag.ts";
import { printResult } from "./output.ts";
import type { Call } from "./server-url.ts";

const OF_PROJECT = {
  project: { hint: "ID", help: "its project, for a flag that is archived or deleted" },
} as const;

export const flagHistory = command({
  name: "flag history",
  summary: "Print the versions of a flag, newest first: who changed what, key by key",
  usage: "NAME",
  example: "flag history new-checkout --limit 5",
  settings: ["data"],
  options: {
    ...OF_PROJECT,
    limit: { hint: "NUMBER", help: "how many versions at most (20)" },
    before: { hint: "ID", help: "only those before the version with this id" },
    blame: { help: "print who last changed each part that it has now" },
    ...OPTIONS,
  },
  run: (context) =>
    withCall(context, async (call) => {
      const { limit, before, blame } = context.options;
      const params = await paramsOf(call, context.args[0]!, context.options.project);
      const query = { ...(limit && { limit }), ...(before && { before }) };
      const history = await call(readHistory, { params, query });
      const lines = blame ? history.blame.map(blameLine) : history.versions.flatMap(versionLines);
      printResult(context, history, lines.map(printable).join("\n"));
    }),
});

async function paramsOf(call: Call, featureName: string, project: string | undefined) {
  return { featureName, projectId: project ?? (await requireFlag(call, featureName)).project };
}

type History = v.InferOutput<typeof FeatureHistory>;

const versionLines = ({ id, createdAt, createdBy, events, changes }: History["versions"][number]) => [
  `${id}  ${createdAt}  ${createdBy}`,
  ...events.map(({ summary, type }) => `  ${plain(summary ?? type)}`),
  ...changes.map(({ path, ...values }) => `    ${path} ${valuesInWords(values)}`),
];

const blameLine = ({ path, id, createdAt, createdBy }: History["blame"][number]) =>
  `${path}  ${createdBy}  ${createdAt}  (event ${id})`;
