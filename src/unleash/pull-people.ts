import { hashSecret } from "../access/token.ts";
import type { Line } from "../dataset/kind.ts";
import { DataError } from "../db/error.ts";
import { looksOf } from "../people/lookalikes.ts";
import {
  isWanted,
  keep,
  listOf,
  lose,
  type Pull,
  readIfTold,
  readListIfTold,
  Thing,
  toLines,
} from "./pull-source.ts";

/*
 * Who may do what: roles, users, groups, and the tokens of applications and scripts.
 */

/** Roles up to this id are in every file. */
const BUILT_IN = 5;

/** @returns who came, by id: whatever refers to others must not */
export async function* people(pull: Pull): AsyncGenerator<Line[], Set<unknown>> {
  await keep(pull, "people", [
    "roles",
    "user-admin",
    "service-account",
    "groups",
    "api-tokens",
    "invite-link/tokens",
  ]);
  yield* roles(pull);
  const known = yield* users(pull);
  yield* groups(pull, known);
  yield* apiTokens(pull);
  yield* invitations(pull, known);
  return known;
}

async function* roles(pull: Pull): AsyncGenerator<Line[]> {
  const all = await readListIfTold(pull, "roles", "roles", "own roles");
  const own = all.filter(({ id }) => Number(id) > BUILT_IN);
  await keep(
    pull,
    "roles",
    own.map(({ id }) => `roles/${id}`),
  );
  for (const { id } of own) {
    const role = await readIfTold(pull, `roles/${id}`, Thing, "own roles");
    if (!role) continue;
    const type = role.type === "root-custom" ? "custom-root" : role.type;
    yield toLines(pull, `roles/${id}`, "role", [{ ...role, description: role.description || null, type }]);
  }
}

/** Drawn from the name or the address, by a server or by gravatar.com; this server draws its own. */
const DRAWN = /gravatar\.com\/avatar\/|\/avatars\/[0-9a-f]{64}\.svg$/;

/** @returns their ids */
async function* users(pull: Pull): AsyncGenerator<Line[], Set<unknown>> {
  const persons = await readListIfTold(pull, "user-admin", "users", "users");
  const accounts = await readListIfTold(pull, "service-account", "serviceAccounts", "service accounts");
  pull.counts.users = persons.length;
  pull.counts.serviceAccounts = accounts.length;
  requireDistinct(pull, [...persons, ...accounts]);
  const toLine = (accountType: string) => (user: Thing) => ({
    ...user,
    accountType,
    inviteLink: null, // of that server
    ...(DRAWN.test(String(user.imageUrl)) && { imageUrl: null }),
  });
  yield toLines(pull, "user-admin", "user", persons.map(toLine("User")));
  yield toLines(pull, "service-account", "user", accounts.map(toLine("Service Account")));
  lose(pull, "passwords", persons.length, "never told: create links with flagstone user link");
  lose(
    pull,
    "tokens of service accounts",
    accounts.flatMap((one) => listOf(one.tokens)).length,
    "never told",
  );
  return new Set([...persons, ...accounts].map(({ id }) => id));
}

/** @throws DataError naming two users who would be mistaken for one another when they sign in */
function requireDistinct({ url }: Pull, list: readonly Thing[]) {
  const seen = new Map<string, Thing>();
  for (const user of list)
    for (const name of [user.username, user.email].filter((one) => typeof one === "string"))
      for (const look of looksOf(name)) {
        const other = seen.get(look) ?? user;
        if (other.id !== user.id)
          throw new DataError(
            `The users ${other.id} and ${user.id} of ${url} look alike (${name}): rename or delete one of them there`,
          );
        seen.set(look, user);
      }
}

async function* groups(pull: Pull, known: ReadonlySet<unknown>): AsyncGenerator<Line[]> {
  const all = await readListIfTold(pull, "groups", "groups", "groups");
  if (all.length > 0) pull.counts.groups = all.length;
  const lines = all.map((group) => {
    const members = (Array.isArray(group.users) ? group.users : []).filter(({ user }) => known.has(user?.id));
    return {
      ...group,
      users: members.map(({ user }) => user.id),
      joined: members
        .filter(({ joinedAt }) => joinedAt)
        .map(({ user, joinedAt }) => ({ user: user.id, at: joinedAt })),
    };
  });
  yield toLines(pull, "groups", "group", lines);
}

/** A secret that is not told: masked, or only the selector of one that is stored as a hash. */
const isSecretHidden = ({ secret, secure }: Thing) =>
  typeof secret !== "string" || secure === true || secret.includes("*****");

async function* apiTokens(pull: Pull): AsyncGenerator<Line[]> {
  const all = await readListIfTold(pull, "api-tokens", "tokens", "API tokens");
  const wanted = all.filter(
    ({ projects }) => !Array.isArray(projects) || projects.some((id) => id === "*" || isWanted(pull, id)),
  );
  const told = wanted.filter((token) => !isSecretHidden(token));
  pull.counts.apiTokens = all.length;
  const lines = told.map((token) => ({
    createdAt: token.createdAt,
    expiresAt: token.expiresAt,
    seenAt: token.seenAt,
    type: token.type,
    name: token.tokenName ?? token.username,
    hash: hashSecret(String(token.secret)),
    ...(Array.isArray(token.projects) && {
      projects: token.projects.filter((id) => id === "*" || isWanted(pull, id)),
    }),
    ...(token.environment !== "*" && { environment: token.environment }),
  }));
  yield toLines(pull, "api-tokens", "token", lines);
  lose(pull, "API tokens", wanted.length - told.length, "stored there as hashes: create new ones");
}

async function* invitations(pull: Pull, known: ReadonlySet<unknown>): AsyncGenerator<Line[]> {
  const all = await readListIfTold(pull, "invite-link/tokens", "tokens", "invitations");
  const told = all.filter((one) => !isSecretHidden(one));
  const lines = told.map((one, index) => ({
    ...one,
    id: index + 1,
    hash: hashSecret(String(one.secret)),
    users: listOf(one.users)
      .map(({ id }) => id)
      .filter((id) => known.has(id)),
  }));
  yield toLines(pull, "invite-link/tokens", "invitation", lines);
  lose(pull, "invitations", all.length - told.length, "their secrets are not told: create new ones");
}
