import { UsageError } from "../lib/usage-error.ts";
import { type Command, type Option, optionsOf } from "./command.ts";
import { type Place, SHELLS, type Word } from "./completion-scripts.ts";

export const completionCommand = (commands: () => readonly Command[]): Command => ({
  name: "completion",
  summary: "Print a shell script that completes commands and options",
  usage: Object.keys(SHELLS).join("|"),
  arity: [1, 1],
  example: "completion bash > /etc/bash_completion.d/flagstone",
  settings: [],
  run({ args: [shell = ""], print }) {
    const script = Object.entries(SHELLS).find(([name]) => name === shell)?.[1];
    if (!script)
      throw new UsageError(`unknown shell ${shell}: must be one of ${Object.keys(SHELLS).join(", ")}`);
    print(script(places(commands())));
  },
});

/** What can follow each sequence of words, the longest sequences first. */
function places(commands: readonly Command[]): Place[] {
  const groups = [...Map.groupBy(commands, ({ name }) => name.split(" ")[0]!)];
  const first = groups.map(([text, group]) => ({
    text,
    help: group.length > 1 ? group.map(({ name }) => name).join(", ") : group[0]!.summary,
  }));
  const inCommands = commands.map((command) => ({
    after: command.name,
    words: command.name === "help" ? first : wordsOf(command),
  }));
  const inGroups = groups
    .filter(([, group]) => group.length > 1)
    .map(([after, group]) => ({
      after,
      isAll: true,
      words: group.map(({ name, summary }) => ({ text: name.split(" ")[1]!, help: summary })),
    }));
  const [serve] = commands; // the default command
  return [...inCommands, ...inGroups, { after: "", isAll: true, words: [...first, ...wordsOf(serve!)] }];
}

function wordsOf(command: Command): Word[] {
  const choices = (command.usage ?? "").split("|").filter((text) => /^[a-z]+$/.test(text));
  return [
    ...choices.map((text) => ({ text, help: text })),
    ...Object.entries(optionsOf(command)).map(toWord),
  ];
}

const toWord = ([name, { type, hint = "", help }]: [string, Option]): Word => ({
  text: `--${name}`,
  help,
  ...(type === "string" && { values: /^[a-z|]+$/.test(hint) ? hint.split("|") : [] }), // anything else is a placeholder
});
