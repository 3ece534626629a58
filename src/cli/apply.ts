import { text } from "node:stream/consumers";
import type { Database } from "../db/database.ts";
import { applyProject, compareProject } from "../flags-as-text/plan.ts";
import { type Opened, proposeProject } from "../flags-as-text/proposal.ts";
import { type Step, toLine } from "../flags-as-text/step.ts";
import { type ProjectText, projectAsYaml, readProjectText } from "../flags-as-text/text.ts";
import { UsageError } from "../lib/usage-error.ts";
import { type Context, command, JSON_OPTION } from "./command.ts";
import { AT_OPTION, dataFile, dataFileToRead } from "./data-file.ts";
import { openSource } from "./import.ts";
import { counted } from "./output.ts";

/** Thrown by `diff` if there are differences. Exit code 5. */
export class DifferenceError extends Error {}

const SHARED = {
  usage: "FILE|-",
  settings: ["data", "log-format", "log-level", "quiet"],
} as const;

const PRUNE = {
  prune: { help: "archive flags and delete segments of the project that are not in the file" },
} as const;

export const apply = command({
  ...SHARED,
  name: "apply",
  summary: "Change a project to match a YAML or JSON file, all or nothing",
  example: "apply checkout.yaml --data flags.db",
  options: {
    ...PRUNE,
    "dry-run": { help: "print what would change, then roll it back" },
    "as-request": {
      help: "send what must be approved to review as change requests, instead of changing it directly",
    },
    ...JSON_OPTION,
  },
  async run(context) {
    const project = await readProject(context);
    const { prune: prunes = false, "dry-run": isDryRun = false } = context.options;
    using db = dataFile(context.config);
    if (context.options["as-request"] && !isDryRun) return propose(context, db, project, prunes);
    const steps = applyProject(db, project, { prunes, isDryRun });
    printSteps(context, project, steps);
    const message = `${counted(steps.length, "change")} ${isDryRun ? "would be made" : "made"}`;
    context.log({ level: "info", message, project: project.project });
  },
});

/** Says where to approve what was only proposed. */
function propose(context: Context<typeof JSON_OPTION>, db: Database, project: ProjectText, prunes: boolean) {
  const title = `flagstone apply ${context.args[0]}`;
  const { steps, opened } = proposeProject(db, project, { prunes, title });
  printSteps(context, project, steps, opened);
  for (const { id, environment } of opened)
    context.log({
      level: "info",
      message: `change request #${id} waits for approval in ${environment}: /projects/${project.project}/change-requests/${id}`,
    });
}

export const diff = command({
  ...SHARED,
  name: "diff",
  summary:
    "Print what apply would change, or what has changed in a project; exits with 5 if there are differences",
  usage: "[FILE|-]",
  example: "diff checkout.yaml --data flags.db",
  options: {
    ...PRUNE,
    project: { hint: "ID", help: "with --at, the project whose changes are printed" },
    at: { ...AT_OPTION.at, multiple: true, help: `what has changed since then, or up to a second --at` },
    ...JSON_OPTION,
  },
  async run(context) {
    const { at, project: changed, prune: prunes = false } = context.options;
    if (at !== undefined || changed !== undefined) return printChanges(context, at, changed);
    const project = await readProject(context);
    using db = dataFileToRead(context.config);
    const steps = compareProject(db, project, { prunes });
    printSteps(context, project, steps);
    if (steps.length > 0)
      throw new DifferenceError(`${counted(steps.length, "difference")}: run apply to remove them`);
  },
});

/** @throws UsageError for options that don't go together */
function printChanges(context: Context<typeof JSON_OPTION>, at: readonly string[] = [], id?: string) {
  const [since, until, ...more] = at;
  if (id === undefined || since === undefined || more.length > 0 || context.args.length > 0)
    throw new UsageError(
      "--project and --at belong together, without a file: --project ID --at TIME [--at TIME]",
    );
  using before = dataFileToRead(context.config, since);
  using after = dataFileToRead(context.config, until);
  const project = readProjectText(projectAsYaml(after, id), id);
  const steps = compareProject(before, project, { prunes: true });
  printSteps(context, project, steps);
  if (steps.length > 0) throw new DifferenceError(`${counted(steps.length, "difference")} since ${since}`);
}

/** @throws UsageError if no file is named */
async function readProject(context: Context) {
  const source = context.args[0];
  if (source === undefined) throw new UsageError("Name a file, or - for standard input");
  const content = await text(openSource(context, source));
  return readProjectText(content, source === "-" ? "standard input" : source);
}

function printSteps(
  { options, print }: Context<typeof JSON_OPTION>,
  { project }: { project: string },
  steps: readonly Step[],
  changeRequests?: readonly Opened[],
) {
  if (options.json) print(JSON.stringify({ project, changes: steps, changeRequests }));
  else for (const step of steps) print(toLine(step));
}
