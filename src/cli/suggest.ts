import { distance } from "fastest-levenshtein";

/** The most similar word; undefined if none is close enough: two typos in five letters are, two in three are not. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const limit = Math.min(Math.floor(word.length * 0.4), 3);
  const near = known
    .map((name) => ({ name, typos: typos(word, name) }))
    .filter(({ typos }) => typos <= limit);
  return near.sort((a, b) => a.typos - b.typos)[0]?.name;
}

/** The number of letters to add, remove or replace; swapping two counts as one typo. */
function typos(word: string, name: string) {
  const edits = distance(word, name);
  return edits === 2 && sorted(word) === sorted(name) ? 1 : edits;
}

const sorted = (word: string) => [...word].sort().join("");
