import { type Database, query } from "../../db/statement.ts";

const names = query<object, { id: number; username: string | null; email: string | null }>(`
  SELECT id, username, email FROM users`);

/**
 * Whether another user goes by what a person would take for this name: the same letters in another case, another
 * alphabet's letters that look the same, with or without characters that are not seen. One user's username may not be
 * another's e-mail address either, for both sign in with either. Users are few, so that all can be looked at.
 */
export function isLookalike(db: Database, name: string, exceptId?: number): boolean {
  const looks = looksOf(name);
  return names(db)
    .all({})
    .some(
      ({ id, ...own }) =>
        id !== exceptId &&
        [own.username, own.email].some(
          (one) => one !== null && looksOf(one).some((look) => looks.includes(look)),
        ),
    );
}

/**
 * How a name looks in small letters, and as it is written: a Greek capital Ν looks like N, its small letter like v. Names
 * look alike that have one of the two in common.
 */
function looksOf(name: string): string[] {
  const seen = name.normalize("NFKC").replaceAll(UNSEEN, "");
  const drawn = replaced(seen, CAPITALS);
  return [seen, drawn].map((one) => replaced(one.toLowerCase(), LOOKS).normalize("NFC"));
}

const replaced = (text: string, by: Readonly<Record<string, string>>) =>
  [...text].map((letter) => by[letter] ?? letter).join("");

/** Characters without a shape of their own, such as a space without width. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}]/gu;

/** The Latin letter for each that looks like it. @param alike the others by the Latin ones */
const latinFor = (alike: Record<string, string>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(alike).flatMap(([latin, others]) => [...others].map((other) => [other, latin])),
  );

/** Small letters of other alphabets that look as Latin ones do (Unicode's confusables). */
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

/** Capital letters whose small ones don't look as the Latin ones do. */
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
