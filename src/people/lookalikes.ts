import type { Database } from "../db/database.ts";
import { query } from "../db/statement.ts";

const names = query<object, { id: number; username: string | null; email: string | null }>(`
  SELECT id, username, email FROM users`);

/**
 * Whether another user has a name that looks the same: in a different letter case, with similar letters of other
 * alphabets, or with invisible characters. One user's username can't be another's e-mail address either, since both
 * are used to sign in. There are few enough users to check them all.
 */
export function isLookalike(db: Database, name: string, exceptId?: number): boolean {
  const looks = looksOf(name);
  return names(db)
    .all({})
    .some(
      ({ id, ...own }) =>
        id !== exceptId &&
        [own.username, own.email].some(
          (form) => form !== null && looksOf(form).some((look) => looks.includes(look)),
        ),
    );
}

/**
 * How a name looks in lower case, and how it looks as written: a Greek capital Ν looks like N, but its lower case like
 * v. Names that share either form look alike.
 */
function looksOf(name: string): string[] {
  const visible = name.normalize("NFKC").replaceAll(INVISIBLE, "");
  const withLatinCapitals = replaced(visible, CAPITALS);
  return [visible, withLatinCapitals].map((form) => replaced(form.toLowerCase(), LOOKS).normalize("NFC"));
}

const replaced = (text: string, by: Readonly<Record<string, string>>) =>
  [...text].map((letter) => by[letter] ?? letter).join("");

/** Invisible characters, such as a zero-width space. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}]/gu;

/** Maps each letter to the Latin one it looks like. @param alike similar letters, by the Latin letter */
const latinFor = (alike: Record<string, string>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(alike).flatMap(([latin, others]) => [...others].map((other) => [other, latin])),
  );

/** Lower-case letters of other alphabets that look like Latin ones (Unicode's confusables). */
const LOOKS = latinFor({
  a: "аɑα",
  c: "сϲ",
  d: "ԁ",
  e: "еҽ",
  g: "ɡ",
  h: "һ",
  i: "іıι",
  j: "јϳ",
  k: "κк",
  l: "ӏ",
  n: "ո",
  o: "оοօ",
  p: "рρ",
  q: "ԛ",
  s: "ѕ",
  t: "τт",
  u: "υս",
  v: "νѵ",
  w: "ԝ",
  x: "хχ",
  y: "уγү",
});

/** Capital letters that look like Latin ones although their lower case doesn't. */
const CAPITALS = latinFor({
  B: "ΒВ",
  E: "ΕЕ",
  G: "Ԍ",
  H: "ΗНҺ",
  M: "ΜМ",
  N: "ΝՆ",
  P: "ΡР",
  T: "ΤТ",
  U: "Ս",
  X: "ΧХ",
  Y: "ΥУҮ",
  Z: "Ζ",
});
