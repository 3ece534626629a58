import type { TestContext } from "node:test";
import { hashPassword } from "../../src/access/password-hash.ts";
import { createServer } from "../../src/server/app.ts";
import type { ServerOptions } from "../../src/server/options.ts";
import { openServer } from "../support/server.ts";
import { createWorld } from "../support/world.ts";

export const PASSWORD = "Str0ng-Passw0rd!x9";
const passwordHash = await hashPassword(PASSWORD);

export const COOKIE = "unleash-session";

/** A server with user 5, Nina, an Editor who can sign in; `served` starts more on the same file. */
export async function openForNina(t: TestContext) {
  const nina = { username: "nina", email: "Nina@Example.com", rootRole: 2, passwordHash };
  const robot = { username: "robot", accountType: "Service Account", passwordHash };
  const world = createWorld().project("default").user(nina).user(robot);
  const server = await openServer(t, world);
  const served = (options: Partial<ServerOptions>) =>
    createServer({ db: server.db, log: (line) => server.logged.push(line), ...options }).app;
  const signIn = (username: string, password: string) =>
    server.request("/auth/simple/login", { method: "POST", as: null, body: { username, password } });
  /** The cookie of a session of hers, as a browser sends it. */
  const signedIn = async () => cookieOf((await signIn("nina", PASSWORD)).headers);
  return { ...server, served, signIn, signedIn };
}

/** The cookies that a browser sends back after `Set-Cookie`. */
export const cookieOf = (headers: Headers) => headers.getSetCookie()[0]!.split(";")[0]!;

/** A sign-in as a browser sends it. */
export const signInInit = (headers: Record<string, string> = {}): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify({ username: "nina", password: PASSWORD }),
});
