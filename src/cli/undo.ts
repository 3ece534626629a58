import { printable } from "../lib/text.ts";
import { UsageError } from "../lib/usage-error.ts";
import { plain } from "../undo/plan.ts";
import { readUndo, readUndoSince, undoEvent, undoSince } from "../undo/routes.ts";
import { type Context, command } from "./command.ts";
import { OPTIONS, requireFlag, withCall } from "./flag.ts";
import { printResult } from "./output.ts";
import type { Call } from "./server-url.ts";

const WHAT = {
  since: { hint: "TIME|EVENT", help: "undo what came after a time, or after the event with this id" },
  flag: { hint: "NAME", help: "of this flag, everywhere unless an environment is given" },
  environment: { hint: "NAME", help: "in this environment, of all flags of the project unless one is given" },
  project: { hint: "ID", help: "the project of the flag or of the environment" },
  segment: { hint: "ID", help: "of this segment" },
} as const;

export const undo = command({
  name: "undo",
  summary: "Undo an event, or all that has happened to a flag, an environment or a segment since a time",
  usage: "[EVENT]",
  example: "undo --flag new-checkout --since 2026-03-03T12:00:00Z --dry-run",
  settings: ["data"],
  options: { ...WHAT, "dry-run": { help: "only print what that would change" }, ...OPTIONS },
  run: (context) =>
    withCall(context, async (call) => {
      const { ask, act } = await callsOf(context, call);
      const { changes, refusal } = await ask();
      if (refusal) throw new Error(refusal.message);
      const made = context.options["dry-run"] ? changes : (await act()).events;
      const lines = made.map(({ summary, type }) => printable(plain(summary ?? type)));
      printResult(context, { changes: made }, lines.join("\n") || "Nothing to undo");
    }),
});

/** @throws UsageError unless it is said what to undo */
async function callsOf({ args: [id], options }: Context<typeof WHAT>, call: Call) {
  const { since, flag, environment, segment } = options;
  if ((id === undefined) === (since === undefined))
    throw new UsageError("Name an event or, with --since, since when to undo; not both");
  if (id !== undefined) {
    if (!/^\d+$/.test(id)) throw new UsageError(`EVENT: ${id} is not the id of an event`);
    const params = { params: { id } };
    return { ask: () => call(readUndo, params), act: () => call(undoEvent, params) };
  }
  const project = options.project ?? (flag && (await requireFlag(call, flag)).project);
  const named = { since, project, feature: flag, environment, segment };
  const query = JSON.parse(JSON.stringify(named)); // without what is not given
  return { ask: () => call(readUndoSince, { query }), act: () => call(undoSince, { body: query }) };
}
