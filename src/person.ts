import { SERVICE_USER_ID, SYSTEM_USER_ID } from "./auth/actor.ts";
import { imageUrlOf } from "./avatar.ts";

/** Someone as the users know him; all but the id is null for one who is no user, or no longer. */
export interface PersonRow {
  id: number | null;
  name: string | null;
  username: string | null;
  email: string | null;
  imageUrl: string | null;
}

/** Who is no user has a name of the original's. */
const NOBODIES: Readonly<Record<number, string>> = {
  [SERVICE_USER_ID]: "Unleash Admin Token User",
  [SYSTEM_USER_ID]: "Unleash System",
};

/** What somebody is called; what nobody did is the system's. */
export function toPerson(row: PersonRow) {
  const id = row.id ?? SYSTEM_USER_ID;
  const name = row.name ?? row.username ?? row.email ?? NOBODIES[id] ?? `user ${id}`;
  return { id, name, imageUrl: imageUrlOf({ ...row, id }) };
}
