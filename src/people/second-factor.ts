import * as v from "valibot";
import { countGuess } from "../access/guesses.ts";
import { requirePerson } from "../access/require-permission.ts";
import { DELETE, GET, POST } from "../http/operation.ts";
import { Timestamp } from "../lib/validation.ts";
import { codeLink } from "./one-time-code.ts";
import { requireStillPassword } from "./passwords.ts";
import {
  enableFactor,
  factorOf,
  isRequired,
  prepareFactor,
  removeFactor,
  useCode,
} from "./second-factor-store.ts";
import { checkCode, checkedPassword } from "./sessions.ts";
import { type User, UserId } from "./users-schema.ts";
import { requireUser } from "./users-store.ts";

/*
 * A second factor for passwords: the codes of an authenticator app (TOTP, RFC 6238), or else a recovery code. A code is
 * asked for only once the password is right, so that strangers learn nothing; other ways to sign in need none.
 */

/** The caller's second factor: since when, whether a role requires one, and how many recovery codes are left. */
export const SecondFactor = v.strictObject({
  enabledAt: v.nullable(Timestamp),
  isRequired: v.boolean(),
  recoveryCodes: v.number(),
});

/** What an authenticator app needs: a key in base32, also as an `otpauth:` link. */
export const SecondFactorKey = v.strictObject({ secret: v.string(), uri: v.string() });

/** Each replaces a code of the app, once. */
export const RecoveryCodes = v.strictObject({ recoveryCodes: v.array(v.string()) });

const Code = v.object({ code: v.string() });

export const prepareSecondFactor = POST({
  id: "prepareSecondFactor",
  summary: "Get a key for an authenticator app, by name and password; it counts once a code is sent",
  tag: "Sessions",
  path: "/auth/simple/second-factor",
  permission: null,
  duringMaintenance: true,
  body: v.object({ username: v.string(), password: v.string() }),
  errors: ["PasswordMismatch", "DisabledError", "RateLimitError", "InvalidOperationError"],
  response: SecondFactorKey,
  example: { username: "robin", password: "four horses graze quietly 4!" },
})
  .prepare(({ db, address, body }) => checkedPassword(db, body, address))
  .change(({ tx, prepared: { user, ...proof } }) => {
    requireStillPassword(tx.db, user.id, proof);
    const secret = prepareFactor(tx, user.id);
    return { secret, uri: codeLink(secret, labelOf(user)) };
  });

const labelOf = ({ id, name, username, email }: User) => email ?? username ?? name ?? `user ${id}`;

const ofCaller = { tag: "The caller", permission: null, path: "/api/admin/user/second-factor" } as const;

export const readSecondFactor = GET({
  ...ofCaller,
  id: "getSecondFactor",
  summary: "The caller's second factor",
  isUncached: true,
  response: SecondFactor,
}).run(({ db, actor }) => {
  const userId = requirePerson(actor);
  const { enabledAt = null, recovery = [] } = factorOf(db, userId) ?? {};
  return { enabledAt, isRequired: isRequired(db, userId), recoveryCodes: recovery.length };
});

export const addSecondFactor = POST({
  ...ofCaller,
  id: "addSecondFactor",
  summary:
    "Ask for a code at the caller's next sign-ins, if this one is right; the recovery codes are shown only once",
  duringMaintenance: true,
  body: Code,
  errors: ["SecondFactorRequired", "RateLimitError", "InvalidOperationError"],
  records: ["second-factor-added"],
  response: RecoveryCodes,
  example: { code: "123456" },
}).change(({ tx, actor, address, body: { code } }) => {
  const user = requireUser(tx.db, requirePerson(actor));
  if (factorOf(tx.db, user.id)?.enabledAt) prepareFactor(tx, user.id);
  const forgive = countGuess(tx.db, { who: user.id, address });
  const recoveryCodes = enableFactor(tx, user, code);
  forgive();
  return { recoveryCodes };
});

export const removeSecondFactor = POST({
  ...ofCaller,
  path: `${ofCaller.path}/remove`,
  id: "removeSecondFactor",
  summary: "Remove the caller's second factor, with one more code or recovery code",
  duringMaintenance: true,
  body: Code,
  errors: ["SecondFactorRequired", "RateLimitError", "NotFoundError"],
  records: ["second-factor-removed"],
  example: { code: "123456" },
})
  .prepare(({ db, actor, address, body: { code } }) =>
    checkCode(db, requireUser(db, requirePerson(actor)), code, address),
  )
  .change(({ tx, actor, body: { code } }) => {
    const user = requireUser(tx.db, requirePerson(actor));
    useCode(tx, user.id, code);
    removeFactor(tx, user);
  });

export const resetSecondFactor = DELETE({
  id: "resetSecondFactor",
  summary: "Remove a user's second factor, for those who have lost theirs",
  tag: "Users",
  path: "/api/admin/user-admin/:id/second-factor",
  permission: "ADMIN",
  params: v.object({ id: UserId }),
  duringMaintenance: true,
  errors: ["NotFoundError"],
  records: ["second-factor-removed"],
}).change(({ tx, params: { id } }) => removeFactor(tx, requireUser(tx.db, id)));
