import readline from "node:readline";
import type * as v from "valibot";
import { disable, enable } from "../flags/feature-environments.ts";
import { searchFeatures } from "../flags/feature-search.ts";
import type { FoundFeature } from "../flags/feature-search-schema.ts";
import { createFeatureOperation } from "../flags/features-routes.ts";
import { valuesInWords } from "../flags-as-text/step.ts";
import { type FeatureHistory, readHistory } from "../history/versions.ts";
import type { Operation } from "../http/operation.ts";
import { printable } from "../lib/text.ts";
import { UsageError } from "../lib/usage-error.ts";
import { readOverview } from "../overview/project.ts";
import { readEnvironment } from "../projects/environments-routes.ts";
import { plain } from "../undo/plan.ts";
import { type Context, command, JSON_OPTION } from "./command.ts";
import { nearest } from "./config.ts";
import { dataFile } from "./data-file.ts";
import { printList, printResult } from "./output.ts";
import { DEFAULT_ENVIRONMENT, ENVIRONMENT_OPTION } from "./seed.ts";
import { type Call, callFile, callServer, connectionTo, SERVER_OPTIONS } from "./server-url.ts";

/** For commands that ask a server, or else the data file. */
export const OPTIONS = {
  url: { hint: "URL", help: "ask this server instead of opening the data file" },
  ...SERVER_OPTIONS,
  ...JSON_OPTION,
} as const;

export const flagList = command({
  name: "flag list",
  summary: "List the flags, and the environments where each is on",
  example: "flag list --project default",
  settings: ["data"],
  options: { project: { hint: "ID", help: "only the flags of this project" }, ...OPTIONS },
  run: (context) =>
    withCall(context, async (call) => {
      const { project } = context.options;
      if (project !== undefined) await call(readOverview, { params: { projectId: project } });
      const flags = await flagsFound(call, project === undefined ? {} : { project: `IS:${project}` });
      const rows = flags.map((flag) => ({ ...flag, "on in": namesOfEnabled(flag) || null }));
      printList(context, flags, ["name", "type", "project", "on in"], rows);
    }),
});

const namesOfEnabled = ({ environments }: FoundFeature) =>
  environments
    .filter(({ enabled }) => enabled)
    .map(({ name }) => name)
    .join(", ");

export const flagCreate = command({
  name: "flag create",
  summary: "Create a flag, which is off everywhere",
  usage: "NAME",
  example: "flag create new-checkout --type experiment",
  settings: ["data"],
  options: {
    project: { hint: "ID", help: "the project to create it in (default)" },
    type: { hint: "TYPE", help: "the type of flag (release)" },
    description: { hint: "TEXT", help: "what it is for" },
    ...OPTIONS,
  },
  run: (context) =>
    withCall(context, async (call) => {
      const { project: projectId = "default", type, description } = context.options;
      const body = { name: context.args[0], type, description };
      const flag = await call(createFeatureOperation, { params: { projectId }, body });
      printResult(context, flag, printable(`Created the flag ${flag.name} in the project ${flag.project}`));
    }),
});

/** What switching a flag on and off have in common. */
const switching = (word: "on" | "off", operation: Operation) =>
  command({
    name: `flag ${word}`,
    summary: `Turn a flag ${word} in one environment`,
    usage: "NAME",
    example: `flag ${word} new-checkout --environment production`,
    settings: ["data"],
    options: { ...ENVIRONMENT_OPTION, ...OPTIONS, yes: { help: "don't ask, where the environment would" } },
    run: (context) =>
      withCall(context, async (call) => {
        const { name, project, environments } = await requireFlag(call, context.args[0]!);
        const environment = requireEnvironment(environments, context.options.environment);
        const { askBeforeChange } = await call(readEnvironment, { params: { name: environment } });
        if (askBeforeChange && !context.options.yes)
          await askFirst(context, `Turn ${name} ${word} in ${environment}`);
        await call(operation, { params: { projectId: project, featureName: name, environment } });
        const result = { name, project, environment, enabled: word === "on" };
        printResult(context, result, printable(`${name} is ${word} in ${environment}`));
      }),
  });

/** @throws UsageError without a terminal, Error unless the answer is yes */
async function askFirst({ world: { stdin, stderr } }: Pick<Context, "world">, what: string) {
  if (!stdin.isTTY) throw new UsageError(`${what}? The environment asks before changes: pass --yes`);
  stderr.write(printable(`${what}? [y/N] `));
  const terminal = readline.createInterface({ input: stdin });
  const { value: answer = "" } = await terminal[Symbol.asyncIterator]().next(); // none if the input ends
  terminal.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new Error("Nothing was changed");
}

export const flagOn = switching("on", enable);
export const flagOff = switching("off", disable);

export const flagHistory = command({
  name: "flag history",
  summary: "Print the versions of a flag, newest first: who changed what, key by key",
  usage: "NAME",
  example: "flag history new-checkout --limit 5",
  settings: ["data"],
  options: {
    project: { hint: "ID", help: "its project, for a flag that is archived or deleted" },
    limit: { hint: "NUMBER", help: "how many versions at most (20)" },
    before: { hint: "ID", help: "only those before the version with this id" },
    blame: { help: "print who last changed each part that it has now" },
    ...OPTIONS,
  },
  run: (context) =>
    withCall(context, async (call) => {
      const { limit, before, blame, project } = context.options;
      const featureName = context.args[0]!;
      const params = { featureName, projectId: project ?? (await requireFlag(call, featureName)).project };
      const query = { ...(limit && { limit }), ...(before && { before }) };
      const history = await call(readHistory, { params, query });
      const lines = blame ? history.blame.map(blameLine) : history.versions.flatMap(versionLines);
      printResult(context, history, lines.map(printable).join("\n"));
    }),
});

type History = v.InferOutput<typeof FeatureHistory>;

const versionLines = ({ id, createdAt, createdBy, events, changes }: History["versions"][number]) => [
  `${id}  ${createdAt}  ${createdBy}`,
  ...events.map(({ summary, type }) => `  ${plain(summary ?? type)}`),
  ...changes.map(({ path, ...values }) => `    ${path} ${valuesInWords(values)}`),
];

const blameLine = ({ path, id, createdAt, createdBy }: History["blame"][number]) =>
  `${path}  ${createdBy}  ${createdAt}  (event ${id})`;

/** Runs the body with the server, if one is named, or else with the data file. */
export async function withCall(context: Context<typeof OPTIONS>, body: (call: Call) => Promise<void>) {
  const { url, data } = context.options as { url?: string; data?: string };
  const run = (call: Call) =>
    body(call).catch((error) => {
      throw inOptions(context, error);
    });
  if (url === undefined) {
    using db = dataFile(context.config);
    return await run(callFile(db));
  }
  if (data !== undefined) throw new UsageError("--url and --data contradict each other: give one of them");
  return run(callServer(connectionTo(url, context)));
}

/** What the API says of a value, in the words of the command line. */
function inOptions({ options }: Context<typeof OPTIONS>, error: Error): Error {
  const [, key, problem] =
    /^(?:\S+ responded with 400: )?(?:query|body|path)\.(\w+): (.*)$/s.exec(error.message) ?? [];
  return key === undefined ? error : new UsageError(`${key in options ? `--${key}` : key}: ${problem}`);
}

/** The most that a page of a search contains. */
const PAGE = 100;

/** All live flags that a search finds, page by page. */
async function flagsFound(call: Call, criteria: Record<string, string>): Promise<FoundFeature[]> {
  const found: FoundFeature[] = [];
  for (;;) {
    const query = { ...criteria, sortBy: "name", limit: String(PAGE), offset: String(found.length) };
    const { features, total } = await call(searchFeatures, { query });
    found.push(...features);
    if (features.length < PAGE || found.length >= total) return found;
  }
}

/** The live flag with this name, in whatever project. @throws Error that suggests a similar name */
export async function requireFlag(call: Call, name: string): Promise<FoundFeature> {
  const flag = (await flagsFound(call, { query: name })).find((one) => one.name === name);
  if (flag) return flag;
  const all = await flagsFound(call, {});
  const similar = nearest(
    name,
    all.map((one) => one.name),
  );
  const hint = similar === undefined ? "list the flags with flagstone flag list" : `did you mean ${similar}?`;
  throw new Error(`There is no flag ${name}: ${hint}`);
}

/** The given environment, or else `development`. @throws UsageError if the flag's project doesn't use it */
function requireEnvironment(environments: FoundFeature["environments"], given: string | undefined): string {
  const names = environments.map(({ name }) => name);
  if (names.includes(given ?? DEFAULT_ENVIRONMENT)) return given ?? DEFAULT_ENVIRONMENT;
  throw new UsageError(
    `--environment: ${given === undefined ? "" : `${given} `}must be one of ${names.join(", ")}`,
  );
}
