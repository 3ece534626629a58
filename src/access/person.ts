import crypto from "node:crypto";
import { OwnPath } from "../lib/raw-json.ts";
import { SERVICE_USER_ID, SYSTEM_USER_ID } from "./actor.ts";

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

/** A `T` whose avatar may be one of ours. */
export type WithAvatar<T extends { imageUrl: string }> = Omit<T, "imageUrl"> & { imageUrl: string | OwnPath };

/** The person's own avatar, or else the path of one drawn by this server; third parties are never contacted. */
export const imageUrlOf = ({ imageUrl, email, username, id }: Omit<PersonRow, "name">): string | OwnPath =>
  imageUrl ?? avatarPath(email ?? username ?? String(id));

/** The path of the avatar drawn for a name, the same in any letter case. */
export const avatarPath = (name: string) =>
  new OwnPath(`/avatars/${crypto.hash("sha256", name.toLowerCase(), "hex")}.svg`);

/** Cells per side; the right half mirrors the left. */
const SIDE = 5;

/** A small symmetric pattern whose colour and cells are derived from 64 hex digits. */
export function drawAvatar(hash: string): string {
  const hue = Number.parseInt(hash.slice(0, 4), 16) % 360;
  const half = Math.ceil(SIDE / 2);
  const isFilled = (x: number, y: number) =>
    Number.parseInt(hash[8 + y * half + Math.min(x, SIDE - 1 - x)]!, 16) % 2 === 0;
  const cells = Array.from(
    { length: SIDE * SIDE },
    (_, index) => [index % SIDE, Math.floor(index / SIDE)] as const,
  );
  const path = cells.filter(([x, y]) => isFilled(x, y)).map(([x, y]) => `M${x + 1} ${y + 1}h1v1h-1z`);
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIDE + 2} ${SIDE + 2}" width="42" height="42">` +
    `<rect width="100%" height="100%" fill="hsl(${hue} 40% 92%)"/>` +
    `<path fill="hsl(${hue} 60% 40%)" d="${path.join("")}"/></svg>`
  );
}
