import { hashSecret } from "../access/token.ts";
import { BoundedMap } from "../lib/bounded-map.ts";
import type { Mirror } from "./mirror.ts";
import type { Upstream } from "./upstream.ts";
import { validTokens } from "./upstream.ts";

/** How many unknown tokens are remembered as such, and for how long, in milliseconds. */
const MAX_UNKNOWN = 10_000;
const UNKNOWN_MS = 60_000;

/** How many tokens upstream is asked about at once, and how many questions may wait. */
const AT_ONCE = 100;
const MAX_WAITING = 1000;

/** Knows which secrets open what, and asks upstream about others. */
export interface Tokens {
  /** The secrets of admitted tokens, by hash: with them upstream is asked again. */
  readonly secrets: ReadonlyMap<string, string>;
  /** Resolves once it is known whether a secret opens anything. */
  learn(secret: string | undefined): Promise<void>;
  /** Dismisses those that upstream no longer knows. */
  check(): Promise<void>;
}

/**
 * @param onAdmitted is called with each token that upstream knows
 * @param onTrouble is called with why upstream could not be asked
 */
export function createTokens(
  mirror: Mirror,
  upstream: Upstream,
  onAdmitted: (secret: string) => Promise<void>,
  onTrouble: (error: Error) => void,
): Tokens {
  const secrets = new Map<string, string>();
  /** When each was found unknown. */
  const unknown = new BoundedMap<string, number>(MAX_UNKNOWN);
  const waiting = new Map<string, PromiseWithResolvers<void>>();
  let isAsking = false;

  const askForAll = async () => {
    if (isAsking) return;
    isAsking = true;
    while (waiting.size > 0) {
      const asked = [...waiting].slice(0, AT_ONCE);
      await admitKnown(asked.map(([secret]) => secret)).catch(onTrouble);
      for (const [secret, { resolve }] of asked) {
        waiting.delete(secret);
        resolve();
      }
    }
    isAsking = false;
  };

  const admitKnown = async (asked: readonly string[]) => {
    const known = await validTokens(upstream, asked);
    for (const { token, ...scope } of known) {
      secrets.set(hashSecret(token), token);
      mirror.admit(hashSecret(token), scope);
    }
    await Promise.all(known.map(({ token }) => onAdmitted(token)));
    for (const secret of asked)
      if (!known.some(({ token }) => token === secret)) unknown.set(hashSecret(secret), Date.now(), 1);
  };

  return {
    secrets,
    async learn(secret) {
      if (!secret) return;
      const hash = hashSecret(secret);
      if (mirror.scopes.has(hash)) return void secrets.set(hash, secret);
      if (Date.now() - (unknown.get(hash) ?? 0) < UNKNOWN_MS || waiting.size >= MAX_WAITING) return;
      const answer = waiting.get(secret) ?? Promise.withResolvers<void>();
      waiting.set(secret, answer);
      void askForAll();
      await answer.promise;
    },
    async check() {
      const all = [...secrets];
      for (let first = 0; first < all.length; first += AT_ONCE) {
        const some = all.slice(first, first + AT_ONCE);
        const known = await validTokens(
          upstream,
          some.map(([, secret]) => secret),
        );
        for (const [hash, secret] of some) {
          if (known.some(({ token }) => token === secret)) continue;
          secrets.delete(hash);
          mirror.dismiss(hash);
        }
      }
    },
  };
}
