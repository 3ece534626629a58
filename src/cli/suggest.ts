import { distance } from "fastest-levenshtein";

/** The most similar word; undefined if none is close: two slips in five letters are, two in three are not. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const most = Math.min(Math.floor(word.length * 0.4), 3);
  const near = known.map((name) => ({ name, slips: slips(word, name) })).filter(({ slips }) => slips <= most);
  return near.sort((a, b) => a.slips - b.slips)[0]?.name;
}

/** The number of letters to add, remove or replace; swapping two counts as one slip. */
function slips(word: string, name: string) {
  const edits = distance(word, name);
  return edits === 2 && sorted(word) === sorted(name) ? 1 : edits;
}

const sorted = (word: string) => [...word].sort().join("");
