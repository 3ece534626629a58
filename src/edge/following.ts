import { oneAtATime } from "../lib/background.ts";
import { isCovered, type Mirror, type Scope } from "./mirror.ts";
import type { Trouble } from "./trouble.ts";
import { fetchFlags, listenTo, type Upstream } from "./upstream.ts";

/** @returns what keeps the flags that a token opens as upstream has them, and resolves once they have been asked for */
export function createFollowing(mirror: Mirror, upstream: Upstream, trouble: Trouble) {
  const followed = new Map<string, () => Promise<void>>();

  const refresh = async (hash: string, secret: string) => {
    const scope = mirror.scopes.get(hash);
    if (!scope || !mayFetch(scope) || isCovered(mirror, hash, scope)) return void followed.delete(hash);
    await trouble.noting(hash, async () => {
      const found = await fetchFlags(upstream, secret, mirror.kept.get(hash));
      if (mirror.scopes.has(hash) && !isCovered(mirror, hash, scope)) mirror.keep(hash, { scope, ...found });
    });
  };

  return async (hash: string, secret: string) => {
    const again = followed.get(hash) ?? oneAtATime(() => refresh(hash, secret));
    const isNew = !followed.has(hash);
    followed.set(hash, again);
    await again();
    if (isNew) void listenTo(upstream, secret, again);
  };
}

/** A service token is for no environment, and a page's token is not for the flags themselves. */
const mayFetch = ({ type }: Scope) => type === "client" || type === "backend";
