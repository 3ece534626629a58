import type { Actor } from "../../auth/actor.ts";
import { type Database, query } from "../../db/statement.ts";
import { ApiError } from "../../http/error.ts";

/** How many personal tokens a user may have (original). */
const MOST = 10;

const namesOf = query<{ userId: number }, string>(`SELECT name FROM tokens WHERE user_id = :userId`);

/** The user behind the credential. @throws ApiError `NoAccessError` where it is nobody's */
export function requirePerson({ userId }: Actor): number {
  if (userId !== null) return userId;
  throw new ApiError("NoAccessError", "A service token has no user: use a personal token or sign in");
}

/** @throws ApiError `NameExistsError` or `OperationDeniedError` where the user has one of this name, or enough of them */
export function requireRoomForToken(db: Database, userId: number, name: string) {
  const names = namesOf(db).pluck().all({ userId });
  if (names.includes(name))
    throw new ApiError("NameExistsError", "body.description: you have a token of this name already");
  if (names.length >= MOST)
    throw new ApiError(
      "OperationDeniedError",
      `You have ${MOST} personal tokens, and more are not possible: delete one first`,
    );
}
