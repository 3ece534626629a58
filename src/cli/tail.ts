import { once } from "node:events";
import { close, openToRead } from "../db/open.ts";
import { EVENT_TYPES } from "../events/types.ts";
import { UsageError } from "../lib/usage-error.ts";
import { type Command, type Context, JSON_OPTION, onStop } from "./command.ts";
import { eventLine } from "./event-line.ts";
import { type Filter, followFile } from "./follow-file.ts";
import { followServer } from "./follow-server.ts";
import { connectionTo, SERVER_OPTIONS } from "./server-url.ts";

export const tail: Command = {
  name: "tail",
  summary: "Show the newest events and follow new ones, from the data file or a server",
  usage: "[URL]",
  arity: [0, 1],
  example: "tail --project default",
  settings: ["data", "log-format", "log-level", "quiet"],
  options: {
    last: {
      type: "string",
      short: "n",
      hint: "NUMBER",
      help: "start with this many of the newest events (10)",
    },
    event: {
      type: "string",
      multiple: true,
      hint: "TYPE",
      help: "only events of this type; may be repeated",
    },
    project: {
      type: "string",
      multiple: true,
      hint: "ID",
      help: "only events of this project; may be repeated",
    },
    feature: {
      type: "string",
      multiple: true,
      hint: "NAME",
      help: "only events of this flag; may be repeated",
    },
    ...SERVER_OPTIONS,
    json: { ...JSON_OPTION.json, help: "print each event as JSON" },
  },
  async run(context) {
    const { args, options, world } = context;
    const stopped = new AbortController();
    onStop(world, () => stopped.abort());
    for (const name of ["error", "close"]) world.stdout.once(name, () => stopped.abort());
    const isColored = world.stdout.isTTY === true && !world.env.NO_COLOR;
    const toLine = options.json
      ? (wire: string) => wire
      : (wire: string) => eventLine(JSON.parse(wire), isColored);
    const filter = toFilter(options);
    const events =
      args[0] === undefined
        ? eventsInFile(context, filter, stopped.signal)
        : eventsOnServer(context, args[0], filter, stopped.signal);
    for await (const wire of events)
      if (!world.stdout.write(`${toLine(wire)}\n`)) await once(world.stdout, "drain").catch(() => {});
  },
};

async function* eventsInFile({ config }: Context, filter: Filter, signal: AbortSignal) {
  const db = openToRead(config.data);
  try {
    yield* followFile(db, filter, signal);
  } finally {
    close(db);
  }
}

function eventsOnServer(context: Context, url: string, filter: Filter, signal: AbortSignal) {
  const warn = (message: string) => context.log({ level: "warn", message });
  return followServer({ ...connectionTo(url, context), filter, signal, warn });
}

function toFilter({ last = "10", event, project, feature }: Context["options"]): Filter {
  if (!/^\d{1,3}$/.test(String(last)))
    throw new UsageError(`--last: ${JSON.stringify(last)} must be a number from 0 to 999`);
  const types = event as string[] | undefined;
  const unknown = types?.find((one) => !(EVENT_TYPES as readonly string[]).includes(one));
  if (unknown !== undefined)
    throw new UsageError(`--event: there is no event type ${JSON.stringify(unknown)}`);
  return {
    last: Number(last),
    type: types,
    project: project as string[] | undefined,
    feature: feature as string[] | undefined,
  };
}
