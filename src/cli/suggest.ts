import { closest, distance } from "fastest-levenshtein";

/** The nearest right spelling as the end of a sentence, or nothing where none is near. */
export function suggestion(word: string, known: readonly string[]): string {
  const nearest = known.length > 0 ? closest(word, known) : "";
  return nearest !== "" && distance(word, nearest) <= 2 ? `: did you mean ${nearest}?` : "";
}
