import { type Database, query } from "../../db/statement.ts";

const names = query<object, { id: number; username: string | null; email: string | null }>(`
  SELECT id, username, email FROM users`);

/**
 * Whether another user goes by what a person would take for this name: the same letters in another case, another
 * alphabet's letters that look the same, with or without characters that are not seen. One user's username may not be
 * another's e-mail address either, for both sign in with either. Users are few, so that all can be looked at.
 */
export function isLookalike(db: Database, name: string, exceptId?: number): boolean {
  const look = lookOf(name);
  return names(db)
    .all({})
    .some(
      ({ id, ...own }) =>
        id !== exceptId && [own.username, own.email].some((one) => one !== null && lookOf(one) === look),
    );
}

/** What names that look alike have in common; empty for one that is not seen at all. */
export const lookOf = (name: string): string =>
  [...name.normalize("NFKC").replaceAll(UNSEEN, "").toLowerCase()]
    .map((letter) => LOOKS[letter] ?? letter)
    .join("")
    .normalize("NFC");

/** Characters without a shape of their own, such as a space without width. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}]/gu;

/** Letters of other alphabets that look as Latin ones do, by those (Unicode's confusables, of the small letters). */
const LOOKS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
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
  }).flatMap(([latin, others]) => [...others].map((other) => [other, latin])),
);
