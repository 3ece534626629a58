import { CLI, SYSTEM } from "../access/actor.ts";
import type { Database } from "../db/database.ts";
import { query } from "../db/statement.ts";

const names = query<object, { id: number; username: string | null; email: string | null }>(`
  SELECT id, username, email FROM users`);

/**
 * Whether another user, or the system, has a name that looks the same: in a different letter case, with similar letters
 * of other alphabets, or with invisible characters. One user's username can't be another's e-mail address either, since
 * both are used to sign in. There are few enough users to check them all.
 */
export function isLookalike(db: Database, name: string, exceptId?: number): boolean {
  const looks = looksOf(name);
  const isAlike = (own: string | null) => own !== null && looksOf(own).some((look) => looks.includes(look));
  return (
    OF_SYSTEM.some(isAlike) ||
    names(db)
      .all({})
      .some(({ id, username, email }) => id !== exceptId && (isAlike(username) || isAlike(email)))
  );
}

/** Who else is in the log. */
const OF_SYSTEM = [CLI.createdBy, SYSTEM.createdBy];

/**
 * How a name looks in lower case, and how it looks as written: a Greek capital Ν looks like N, but its lower case like
 * v. Names that share either form look alike.
 */
export function looksOf(name: string): string[] {
  const visible = name.normalize("NFKC").replaceAll(INVISIBLE, "").trim();
  const withLatinCapitals = replaced(visible, CAPITALS);
  return [visible, withLatinCapitals].map((form) => replaced(form.toLowerCase(), LOOKS).normalize("NFC"));
}

const replaced = (text: string, by: Readonly<Record<string, string>>) =>
  [...text].map((letter) => by[letter] ?? letter).join("");

/** Invisible characters, such as a zero-width space, or the Braille pattern without dots. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\u2800]/gu;

/** Maps each letter to the Latin one it looks like. @param words each a Latin letter and those that look like it */
const latinFor = (words: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    words.split(" ").flatMap(([latin, ...others]) => others.map((other) => [other, latin!])),
  );

/** Lower-case letters of other alphabets that look like Latin ones (Unicode's confusables). */
const LOOKS = latinFor("aаɑα cсϲ dԁ eеҽ gɡ hһ iіıι jјϳ kκк lӏ nո oоοօ pрρ qԛ sѕ tτт uυս vνѵ wԝ xхχ yуγү");

/** Capital letters that look like Latin ones although their lower case doesn't. */
const CAPITALS = latinFor("BΒВ EΕЕ GԌ HΗНҺ MΜМ NΝՆ PΡР TΤТ UՍ XΧХ YΥУҮ ZΖ");
