import { flagPath, pathTo } from "./address.ts";
import type { Output } from "./api.ts";
import { menuViews, nextTheme, showHelp } from "./menu.tsx";
import type { IconName } from "./parts/words.tsx";
import { useRead } from "./reads.ts";
import { recent } from "./recent.ts";
import { may } from "./session.ts";
import { switchFlag } from "./views/flag/frame.tsx";

/** Something to open, or to do. */
export interface Item {
  icon: IconName;
  title: string;
  /** Where it belongs. */
  hint?: string;
  /** A path to open, or what to do. */
  go: string | (() => unknown);
}

export type Group = readonly [title: string, items: readonly Item[]];

type Flag = Output<"GET /api/admin/search/features">["features"][number];

/** How many flags are looked through, and how many things of a kind are shown. */
const LIMIT = 25;
const SHOWN = 6;

/**
 * What a few words find: each has to be in a name, or to say what to do, as in "payment off production". Without any words,
 * what was opened last, and the views.
 * @returns undefined while it isn't known yet
 */
export function useFound(text: string): Group[] | undefined {
  const { projects = [] } = useRead("GET /api/admin/projects").data ?? {};
  const { tags = [] } = useRead("GET /api/admin/tags").data ?? {};
  const { environments = [] } = useRead("GET /api/admin/environments").data ?? {};
  const command = toCommand(
    text,
    environments.map(({ name }) => name),
  );
  const query = command.words.toSorted((a, b) => a.length - b.length).at(-1) ?? "";
  const { data } = useRead("GET /api/admin/search/features", { query: { query, limit: LIMIT } });
  if (data === undefined) return undefined;
  const found = best(data.features, command.words);
  const switched = (flags: readonly Flag[]) =>
    flags.flatMap((flag) => switches(flag, command)).slice(0, SHOWN);
  if (command.isGiven) return nonEmpty([["Turn on or off", switched(found)]]);
  const isWanted = ({ title, hint = "" }: Item) => hasAll(`${title} ${hint}`, command.words);
  const wanted = (items: readonly Item[]) => (query === "" ? [] : items.filter(isWanted).slice(0, SHOWN));
  return nonEmpty([
    ["Recent", query === "" ? recent().map(({ path, title }) => ({ icon: "log", title, go: path })) : []],
    ["Flags", found.slice(0, SHOWN).map(toFlagItem)],
    ["Turn on or off", switched(found.slice(0, 1))],
    ["Projects", wanted(projects.map(toProjectItem))],
    ["Tags", wanted(tags.map(toTagItem))],
    ["Views", menuViews().map(toViewItem).filter(isWanted)],
    ["Actions", actions().filter(isWanted)],
  ]);
}

const nonEmpty = (groups: readonly Group[]) => groups.filter(([, items]) => items.length > 0);

/** What to do with flags. */
interface Command {
  /** The words that say which flags. */
  words: string[];
  /** The rest says to turn them on or off. */
  isGiven: boolean;
  isOn: boolean | undefined;
  /** Any if it is empty. */
  environments: string[];
}

const ON = ["on", "enable"];
const OFF = ["off", "disable"];
const FILLING = ["turn", "switch", "in"];

/** "turn payment-redesign off in production", or "payment off prod". */
function toCommand(text: string, known: readonly string[]): Command {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const isSaid = (verbs: readonly string[]) => words.some((word) => verbs.includes(word));
  const [isOn, isOff] = [isSaid(ON), isSaid(OFF)];
  const named = words.filter((word) => ![...ON, ...OFF, ...FILLING].includes(word));
  if (isOn === isOff || named.length === 0)
    return { words, isGiven: false, isOn: undefined, environments: [] };
  const isPlace = (word: string) => known.some((name) => isAbbreviated(name, word));
  const others = named.filter((word, index) => index === 0 || !isPlace(word));
  const environments = known.filter((name) => named.slice(1).some((word) => isAbbreviated(name, word)));
  return { words: others, isGiven: true, isOn, environments };
}

const isAbbreviated = (name: string, word: string) => word.length > 2 && name.toLowerCase().startsWith(word);

const hasAll = (name: string, words: readonly string[]) => {
  const lower = name.toLowerCase();
  return words.every((word) => lower.includes(word));
};

/** The flags with all the words, those whose name begins with them first, short names before long ones; none without words. */
const best = (flags: readonly Flag[], words: readonly string[]) =>
  words.length === 0
    ? []
    : flags
        .filter(({ name, description, project }) => hasAll(`${name} ${description} ${project}`, words))
        .toSorted((a, b) => rank(a, words) - rank(b, words) || a.name.length - b.name.length);

function rank({ name }: Flag, words: readonly string[]) {
  const text = words.join(" ");
  const lower = name.toLowerCase();
  return lower === text ? 0 : lower.startsWith(text) ? 1 : hasAll(name, words) ? 2 : 3;
}

const toFlagItem = ({ name, project, stale }: Flag): Item => ({
  icon: "flag",
  title: name,
  hint: `in ${project}${stale ? ", stale" : ""}`,
  go: flagPath(project, name),
});

/** The switches of a flag that the user may use, and that would change something. */
const switches = ({ name, project, environments }: Flag, { isOn, environments: places }: Command): Item[] =>
  environments
    .map(({ name: environment, enabled }) => ({ project, feature: name, environment, enabled }))
    .filter(
      ({ environment, enabled }) => enabled !== isOn && (places.length === 0 || places.includes(environment)),
    )
    .filter((place) => may("UPDATE_FEATURE_ENVIRONMENT", place))
    .map(({ enabled, ...place }) => ({
      icon: enabled ? "pause" : "play",
      title: `Turn ${name} ${enabled ? "off" : "on"} in ${place.environment}`,
      hint: `in ${project}`,
      go: () => switchFlag(place, !enabled),
    }));

const toProjectItem = ({ id, name }: { id: string; name: string }): Item => ({
  icon: "project",
  title: name,
  hint: id,
  go: pathTo("projects", id),
});

const toTagItem = ({ type, value }: { type: string; value: string }): Item => ({
  icon: "tag",
  title: `Flags with the tag ${type}:${value}`,
  go: `/flags?${new URLSearchParams({ tag: `${type}:${value}` })}`,
});

const toViewItem = ({ title, icon, path }: ReturnType<typeof menuViews>[number]): Item => ({
  icon: icon!,
  title,
  go: path,
});

const actions = (): Item[] => [
  ...(may("CREATE_PROJECT")
    ? [{ icon: "add", title: "Create a project", go: "/projects?new=true" } as const]
    : []),
  { icon: "moon", title: "Change the theme", go: nextTheme },
  { icon: "help", title: "Show the keyboard shortcuts", go: () => showHelp(true) },
];
