import { SERVICE_USER_ID, SYSTEM_USER_ID } from "./actor.ts";
import { imageUrlOf } from "./avatar.ts";

/** Someone as stored among the users; all but the id is null for anyone who is not, or no longer, a user. */
export interface PersonRow {
  id: number | null;
  name: string | null;
  username: string | null;
  email: string | null;
  imageUrl: string | null;
}

/** The original's names for ids that are not users. */
const SYSTEM_NAMES: Readonly<Record<number, string>> = {
  [SERVICE_USER_ID]: "Unleash Admin Token User",
  [SYSTEM_USER_ID]: "Unleash System",
};

/** A person's display name; automatic changes belong to the system. */
export function toPerson(row: PersonRow) {
  const id = row.id ?? SYSTEM_USER_ID;
  const name = row.name ?? row.username ?? row.email ?? SYSTEM_NAMES[id] ?? `user ${id}`;
  return { id, name, imageUrl: imageUrlOf({ ...row, id }) };
}
