import { confirmedAt, type Mirror } from "./mirror.ts";
import type { Tokens } from "./tokens.ts";

/** How old the answers of an edge are, in milliseconds. */
interface Age {
  /** For a secret; undefined if there are none yet, and 0 for an unknown one. */
  of(secret: string): number | undefined;
  /** Of the oldest that are asked for. */
  most(): number;
  /** Why the edge is not ready; undefined if it is. */
  unready(): string | undefined;
}

/** @param given the secrets of tokens whose answers must be there, and not older than `maxAgeMs` */
export function ageOfAnswers(
  mirror: Mirror,
  { hashes }: Tokens,
  given: readonly string[],
  maxAgeMs: number,
): Age {
  const of = (secret: string) => {
    const scope = mirror.scopes.get(hashes.get(secret) ?? "");
    const at = scope ? confirmedAt(mirror, scope) : Date.now();
    return at === undefined ? undefined : Math.max(0, Date.now() - at);
  };
  const most = () => Math.max(0, ...[...hashes.keys()].map((secret) => of(secret) ?? 0));
  return {
    of,
    most,
    unready() {
      if (given.some((secret) => !hashes.has(secret) || of(secret) === undefined))
        return "The flags of a token given at the start have not come yet";
      return most() > maxAgeMs ? `The flags are ${Math.floor(most() / 1000)} seconds old` : undefined;
    },
  };
}
