import { disable, enable } from "../flags/feature-environments.ts";
import { searchFeatures } from "../flags/feature-search.ts";
import type { FoundFeature } from "../flags/feature-search-schema.ts";
import { createFeatureOperation } from "../flags/features-routes.ts";
import type { Operation } from "../http/operation.ts";
import { printable } from "../lib/text.ts";
import { UsageError } from "../lib/usage-error.ts";
import { readOverview } from "../overview/projects.ts";
import { type Command, type Context, JSON_OPTION } from "./command.ts";
import { nearest } from "./config.ts";
import { DEFAULT_ENVIRONMENT, ENVIRONMENT_OPTION } from "./first-start.ts";
import { table } from "./output.ts";
import { type Call, callFile, callServer, connectionTo, SERVER_OPTIONS } from "./server-url.ts";
import { withFile } from "./with-file.ts";

const settings = ["data"] as const;

const OPTIONS = {
  url: { type: "string", hint: "URL", help: "ask this server instead of opening the data file" },
  ...SERVER_OPTIONS,
  ...JSON_OPTION,
} as const;

export const flagList: Command = {
  name: "flag list",
  summary: "List the flags, and the environments where each is on",
  example: "flag list --project default",
  settings,
  options: { project: { type: "string", hint: "ID", help: "only the flags of this project" }, ...OPTIONS },
  run: (context) =>
    withCall(context, async (call) => {
      const project = context.options.project as string | undefined;
      if (project !== undefined) await call(readOverview, { params: { projectId: project } });
      const flags = await flagsFound(call, project === undefined ? {} : { project: `IS:${project}` });
      if (context.options.json) return context.print(JSON.stringify(flags));
      const rows = flags.map(({ name, type, project, environments }) => ({
        name,
        type,
        project,
        "on in":
          environments
            .filter(({ enabled }) => enabled)
            .map(({ name }) => name)
            .join(", ") || null,
      }));
      for (const line of table(rows, ["name", "type", "project", "on in"])) context.print(line);
    }),
};

export const flagCreate: Command = {
  name: "flag create",
  summary: "Create a flag, which is off everywhere",
  usage: "NAME",
  arity: [1, 1],
  example: "flag create new-checkout --type experiment",
  settings,
  options: {
    project: { type: "string", hint: "ID", help: "the project to create it in (default)" },
    type: { type: "string", hint: "TYPE", help: "the type of flag (release)" },
    description: { type: "string", hint: "TEXT", help: "what it is for" },
    ...OPTIONS,
  },
  run: (context) =>
    withCall(context, async (call) => {
      const { project: projectId = "default", type, description } = context.options as Record<string, string>;
      const body = { name: context.args[0], type, description };
      const flag = await call(createFeatureOperation, { params: { projectId }, body });
      context.print(
        context.options.json
          ? JSON.stringify(flag)
          : printable(`Created the flag ${flag.name} in the project ${flag.project}`),
      );
    }),
};

/** What switching a flag on and off have in common. */
const switching = (word: "on" | "off", operation: Operation): Command => ({
  name: `flag ${word}`,
  summary: `Turn a flag ${word} in one environment`,
  usage: "NAME",
  arity: [1, 1],
  example: `flag ${word} new-checkout --environment production`,
  settings,
  options: { ...ENVIRONMENT_OPTION, ...OPTIONS },
  run: (context) =>
    withCall(context, async (call) => {
      const { name, project, environments } = await requireFlag(call, context.args[0]!);
      const environment = requireEnvironment(environments, context.options.environment as string | undefined);
      await call(operation, { params: { projectId: project, featureName: name, environment } });
      context.print(
        context.options.json
          ? JSON.stringify({ name, project, environment, enabled: word === "on" })
          : printable(`${name} is ${word} in ${environment}`),
      );
    }),
});

export const flagOn = switching("on", enable);
export const flagOff = switching("off", disable);

/** Runs the body with the server, if one is named, or else with the data file. */
function withCall(context: Context, body: (call: Call) => Promise<void>) {
  const { url, data } = context.options as Record<string, string | undefined>;
  if (url === undefined) return withFile(context.config, (db) => body(callFile(db)));
  if (data !== undefined) throw new UsageError("--url and --data contradict each other: give one of them");
  return body(callServer(connectionTo(url, context)));
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
async function requireFlag(call: Call, name: string): Promise<FoundFeature> {
  const flag = (await flagsFound(call, { query: name })).find((one) => one.name === name);
  if (flag) return flag;
  const similar = nearest(
    name,
    (await flagsFound(call, {})).map((one) => one.name),
  );
  throw new Error(
    `There is no flag ${name}: ${similar === undefined ? "list the flags with flagstone flag list" : `did you mean ${similar}?`}`,
  );
}

/** The given environment, or else `development`. @throws UsageError if the flag's project doesn't use it */
function requireEnvironment(environments: FoundFeature["environments"], given: string | undefined): string {
  const names = environments.map(({ name }) => name);
  if (names.includes(given ?? DEFAULT_ENVIRONMENT)) return given ?? DEFAULT_ENVIRONMENT;
  throw new UsageError(
    `--environment: ${given === undefined ? "" : `${given} `}must be one of ${names.join(", ")}`,
  );
}
