import { SYSTEM_USER_ID } from "../../access/actor.ts";
import { mirror } from "../../db/mirror.ts";
import { compare } from "../../db/order.ts";
import { type Database, query } from "../../db/statement.ts";
import { fold } from "../../events/fold.ts";
import { LAST_SEEN, STAGE } from "./columns.ts";

/** What searches look at of a flag. */
export interface Flag {
  name: string;
  project: string;
  type: string;
  stale: 0 | 1;
  createdAt: string;
  createdBy: number;
  archivedAt: string | null;
  lastSeenAt: string | null;
  stage: string | null;
  /** The environments in which it is on. */
  enabled: readonly string[];
  /** The folded name and description, with a separator that no folded text contains. */
  text: string;
  /** Those in the text. */
  letters: number;
}

/** Compares by age, then by name. */
export function byAge(a: Flag, b: Flag): number {
  if (a.createdAt === b.createdAt) return compare(a.name, b.name);
  return a.createdAt < b.createdAt ? -1 : 1;
}

/** A set of letters, as bits; several share one. What a text lacks is in no part of it. */
export function lettersOf(text: string): number {
  let letters = 0;
  for (let index = 0; index < text.length; index++) letters |= 1 << (text.charCodeAt(index) % 30);
  return letters;
}

/** Folding leaves no such letter in a text, so that no word matches across the two. */
const SEPARATOR = "a";

// The conditions on name and age hold for every flag, and have SQLite read an index.
const liveNames = query<object, string>(
  `SELECT name FROM features WHERE archived_at IS NULL AND created_at > '' ORDER BY created_at, name`,
);
const names = query<object, string>(`SELECT name FROM features WHERE name > ''`);

// The environments stay text, so that equal lists are parsed once.
const flagsNamed = query<{ names: string }, string>(`
  SELECT json_group_array(json_object('name', name, 'project', project, 'type', flag.type, 'stale', stale,
    'createdAt', created_at, 'createdBy', ifnull(created_by_user_id, ${SYSTEM_USER_ID}),
    'archivedAt', archived_at, 'lastSeenAt', ${LAST_SEEN}, 'stage', ${STAGE},
    'enabled', (SELECT json_group_array(environment) || '' FROM feature_environments WHERE feature = flag.name AND enabled),
    'description', ifnull(description, '')))
  FROM json_each(:names) AS wanted CROSS JOIN features AS flag ON flag.name = wanted.value`);

/** Every flag, archived or not, by age. */
export const searchedFlags = mirror<Flag>("searched_features", {
  sources: { features: "name", feature_environments: "feature", feature_stages: "feature" },
  keys,
  order: byAge,
  read,
});

/** The oldest live flag first, so that little is left to be sorted; the archived ones last, and live ones once more. */
function* keys(db: Database) {
  yield* liveNames(db).pluck().iterate({});
  yield* names(db).pluck().iterate({});
}

function read(db: Database, keys: readonly string[]): Array<[string, Flag]> {
  const rows: Row[] = JSON.parse(
    flagsNamed(db)
      .pluck()
      .get({ names: JSON.stringify(keys) })!,
  );
  const [share, shareList] = [sharing((text) => text), sharing((text): string[] => JSON.parse(text))];
  return rows.map(({ description, enabled, ...row }) => {
    const text = `${fold(row.name)}${SEPARATOR}${fold(description)}`;
    const [project, type, createdAt] = [share(row.project), share(row.type), share(row.createdAt)];
    const rest = { project, type, createdAt, enabled: shareList(enabled), text, letters: lettersOf(text) };
    return [row.name, { ...row, ...rest }];
  });
}

type Row = Omit<Flag, "text" | "letters" | "enabled"> & { description: string; enabled: string };

/** Makes equal values of one read one object: many flags have the same few, and one stays in the processor's cache. */
function sharing<T>(parse: (text: string) => T) {
  const known = new Map<string, T>();
  return (text: string) => {
    const value = known.get(text) ?? parse(text);
    known.set(text, value);
    return value;
  };
}
