import { setTimeout } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { hashSecret, SECRET_SHAPE } from "../access/token.ts";
import { BoundedMap } from "../lib/bounded-map.ts";
import type { Mirror } from "./mirror.ts";
import { type Trouble, type Upstream, validTokens } from "./upstream.ts";

/** How many unknown tokens are remembered as such, and for how long, in milliseconds. */
const MAX_UNKNOWN = 10_000;
const UNKNOWN_MS = 60_000;

/** How many tokens upstream is asked about at once, how many may wait for that, and the pause between two questions. */
const AT_ONCE = 100;
const MAX_WAITING = 1000;
const PAUSE_MS = 100;

/** Knows which secrets open what, and asks upstream about others. */
export interface Tokens {
  /** The hashes of admitted tokens, by secret: with these upstream can be asked again. */
  readonly hashes: ReadonlyMap<string, string>;
  /** Resolves to whether it is known what a secret opens, if anything. */
  learn(secret: string): boolean | Promise<boolean>;
  /** Dismisses those that upstream no longer knows, and takes over what the others open now. */
  check(): Promise<void>;
}

/** @param onAdmitted is called with each token that upstream knows */
export function createTokens(
  mirror: Mirror,
  upstream: Upstream,
  onAdmitted: (hash: string, secret: string) => Promise<void>,
  trouble: Trouble,
): Tokens {
  const hashes = new Map<string, string>();
  /** When each was found unknown. */
  const unknown = new BoundedMap<string, number>(MAX_UNKNOWN);
  const waiting = new Map<string, PromiseWithResolvers<boolean>>();
  let isAsking = false;

  const askForAll = async () => {
    if (isAsking) return;
    isAsking = true;
    while (waiting.size > 0) {
      const asked = [...waiting].slice(0, AT_ONCE);
      const isAnswered = await trouble.noting("tokens", () => admitKnown(asked.map(([secret]) => secret)));
      for (const [secret, { resolve }] of asked) {
        waiting.delete(secret);
        resolve(isAnswered);
      }
      await setTimeout(PAUSE_MS, undefined, { ref: false });
    }
    isAsking = false;
  };

  const admitKnown = async (asked: readonly string[]) => {
    const known = await validTokens(upstream, asked);
    for (const { token, ...scope } of known) {
      hashes.set(token, hashSecret(token));
      mirror.admit(hashSecret(token), scope);
    }
    for (const secret of asked) if (!hashes.has(secret)) unknown.set(hashSecret(secret), Date.now());
    await Promise.all(known.map(({ token }) => onAdmitted(hashes.get(token)!, token)));
  };

  const checkAgain = async (some: readonly string[]) => {
    const known = await validTokens(upstream, some);
    const scopes = new Map(known.map(({ token, ...scope }) => [token, scope]));
    for (const secret of some) {
      const hash = hashes.get(secret)!;
      const scope = scopes.get(secret);
      if (scope && isDeepStrictEqual(scope, mirror.scopes.get(hash))) continue;
      if (scope) mirror.admit(hash, scope);
      else dismiss(secret, hash);
    }
  };

  const dismiss = (secret: string, hash: string) => {
    mirror.dismiss(hash);
    trouble.forget(hash);
    hashes.delete(secret);
  };

  return {
    hashes,
    learn(secret) {
      if (hashes.has(secret) || !SECRET_SHAPE.test(secret)) return true;
      const hash = hashSecret(secret);
      if (mirror.scopes.has(hash)) return Boolean(hashes.set(secret, hash)); // from a snapshot
      if (Date.now() - (unknown.get(hash) ?? 0) < UNKNOWN_MS) return true;
      if (waiting.size >= MAX_WAITING) return false;
      const answer = waiting.get(secret) ?? Promise.withResolvers();
      waiting.set(secret, answer);
      void askForAll();
      return answer.promise;
    },
    async check() {
      const all = [...hashes.keys()];
      for (let first = 0; first < all.length; first += AT_ONCE)
        await trouble.noting("tokens", () => checkAgain(all.slice(first, first + AT_ONCE)));
    },
  };
}
