import { isPassword } from "../../auth/password.ts";
import { brokenRules } from "../../auth/password-rules.ts";
import type { Pictured } from "../../avatar.ts";
import type { Database } from "../../db/statement.ts";
import { ApiError, invalid } from "../../http/error.ts";
import type { User } from "./schema.ts";
import { rootRoleById, rootRoleByName, userByName, userToSignIn } from "./store.ts";

/**
 * The user with this username, or this e-mail address in any letter case, and password. It takes as long where there is
 * no such user.
 * @throws ApiError `PasswordMismatch`
 */
export async function requireSignIn(
  db: Database,
  { username, password }: { username: string; password: string },
): Promise<Pictured<User>> {
  const found = userToSignIn(db, username);
  if (await isPassword(password, found?.passwordHash ?? null)) return found!.user;
  throw new ApiError("PasswordMismatch", "There is no user with this name and password");
}

/** @throws ApiError `OwaspValidationError` with all that is wrong with a password */
export function requireGoodPassword(password: string) {
  const broken = brokenRules(password);
  if (broken.length === 0) return;
  const details = broken.map((message) => ({ path: "body.password", message }));
  throw new ApiError("OwaspValidationError", `body.password: ${broken[0]}`, { details });
}

/** The id of a root role that is given by id or by name. @throws ApiError `ValidationError` */
export function requireRootRole(db: Database, role: number | string): number {
  const found = typeof role === "number" ? rootRoleById(db, role) : rootRoleByName(db, role);
  if (found) return found.id;
  throw invalid({ path: "body.rootRole", message: `there is no root role ${role}` });
}

interface Names {
  username: string | null;
  email: string | null;
}

/** @throws ApiError `ValidationError` where a user has the username or the e-mail address already (original: 400) */
export function requireFreeNames(db: Database, { username, email }: Names, exceptId?: number) {
  const isTaken = (name: string | null) => {
    const other = name === null ? undefined : userByName(db, name);
    return other !== undefined && other.id !== exceptId;
  };
  if (isTaken(username)) throw invalid({ path: "body.username", message: "there is a user with it already" });
  if (isTaken(email)) throw invalid({ path: "body.email", message: "there is a user with it already" });
}
