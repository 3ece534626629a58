import { UsageError } from "../lib/usage-error.ts";
import { type Command, command, optionsOf } from "./command.ts";
import type { Option } from "./config.ts";

export const completion = command({
  name: "completion",
  summary: "Print a shell script that completes commands and options",
  usage: "bash|zsh|fish",
  example: "completion bash > /etc/bash_completion.d/flagstone",
  run({ args: [shell = ""], commands, print }) {
    const script = new Map(Object.entries({ bash, zsh, fish })).get(shell);
    if (!script) throw new UsageError(`unknown shell ${shell}: must be one of bash, zsh, fish`);
    print(script(places(commands)));
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

const toWord = ([name, { hint, help }]: [string, Option]): Word => ({
  text: `--${name}`,
  help,
  ...(hint !== undefined && { values: /^[a-z|]+$/.test(hint) ? hint.split("|") : [] }), // anything else is a placeholder
});

/** The words that can follow a sequence of words on the command line. */
interface Place {
  /** A command, the first word of a group of commands, or empty. */
  after: string;
  /** `after` is everything typed so far, not just its beginning. */
  isAll?: boolean;
  words: Word[];
}

interface Word {
  text: string;
  help: string;
  /** Set if it takes a value: one of these, or any value, completed with file names, if empty. */
  values?: string[];
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** All options that take a value, without duplicates. */
const optionsWithValues = (places: Place[]) =>
  new Map(
    places.flatMap(({ words }) => words.flatMap(({ text, values }) => (values ? [[text, values]] : []))),
  );

const pattern = ({ after }: Place) => `${quoted(after === "" ? "" : `${after} `)}*`;

function bash(places: Place[]) {
  const values = [...optionsWithValues(places)].map(
    ([option, all]) => `${option}) words=${quoted(all.join(" "))} ;;`,
  );
  const words = places.map(
    (place) => `  ${pattern(place)}) words=${quoted(place.words.map(({ text }) => text).join(" "))} ;;`,
  );
  return `_flagstone() {
  local words
  case "\${COMP_WORDS[COMP_CWORD - 1]}" in
  ${values.join("\n  ")}
  *)
    case "\${COMP_WORDS[*]:1:COMP_CWORD - 1} " in
  ${words.join("\n  ")}
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _flagstone flagstone`;
}

function zsh(places: Place[]) {
  const values = [...optionsWithValues(places)].map(
    ([option, all]) => `(${option}) found=(${all.map(quoted).join(" ")}) ;;`,
  );
  const described = ({ text, help }: Word) => quoted(`${text}:${help}`);
  const words = places.map(
    (place) => `  (${pattern(place)}) found=(${place.words.map(described).join(" ")}) ;;`,
  );
  return `#compdef flagstone
_flagstone() {
  local -a found
  case "\${words[CURRENT-1]}" in
  ${values.join("\n  ")}
  (*)
    case "\${(j: :)words[2,CURRENT-1]} " in
  ${words.join("\n  ")}
    esac ;;
  esac
  if (( \${#found} )); then _describe flagstone found || _files; else _files; fi
}
compdef _flagstone flagstone`;
}

function fish(places: Place[]) {
  const line = ({ after, isAll }: Place, { text, help, values }: Word) => {
    const condition = `${isAll ? "__flagstone_words_are" : "__flagstone_starts_with"} ${quoted(after)}`;
    const name = text.startsWith("--") ? `-l ${text.slice(2)}` : `-f -a ${text}`;
    const value = values ? `-r ${values.length > 0 ? `-f -a ${quoted(values.join(" "))}` : ""}` : "";
    return `complete -c flagstone -n ${quoted(condition)} ${name} ${value} -d ${quoted(help)}`;
  };
  return `function __flagstone_words_are
  set -l typed (commandline -opc)[2..]
  test "$typed" = "$argv[1]"
end
function __flagstone_starts_with
  set -l typed (commandline -opc)[2..]
  string match -q -- "$argv[1] *" "$typed "
end
${places.flatMap((place) => place.words.map((word) => line(place, word))).join("\n")}`;
}
