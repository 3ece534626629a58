import { ROLES } from "../../access/permissions.ts";
import { hashSecret } from "../../access/token.ts";
import { type Database, query } from "../../db/statement.ts";
import { MASK } from "../../lib/mask.ts";
import { OwnPath } from "../../lib/raw-json.ts";
import { timestamp } from "../../lib/timestamp.ts";
import { rootRole } from "../roles/require.ts";
import type { Invitation } from "./schema.ts";

interface Row extends Omit<Invitation, "secret" | "url" | "users" | "role" | "enabled"> {
  id: number;
  enabled: 0 | 1;
  /** As JSON. */
  users: string;
}

const COLUMNS = `id, name, enabled, created_at AS createdAt, created_by AS createdBy, expires_at AS expiresAt, (
    SELECT json_group_array(json_object('id', users.id, 'name', users.name, 'username', username) ORDER BY users.id)
    FROM invitation_users JOIN users ON users.id = user_id WHERE invitation_id = invitations.id) AS users`;

const all = query<object, Row>(`SELECT ${COLUMNS} FROM invitations ORDER BY id`);

const byId = query<{ id: number }, Row>(`SELECT ${COLUMNS} FROM invitations WHERE id = :id`);

const idOf = query<{ hash: string }, number>(`SELECT id FROM invitations WHERE hash = :hash`);

const openByHash = query<{ hash: string; now: string }, number>(`
  SELECT id FROM invitations WHERE hash = :hash AND enabled AND expires_at > :now`);

/** All invitations, oldest first, with paths on this server as their URLs. */
export const invitations = (db: Database): Invitation[] =>
  all(db)
    .all({})
    .map((row) => toInvitation(db, row));

/** An existing invitation. @param secret if it was just created */
export const invitationById = (db: Database, id: number, secret?: string): Invitation =>
  toInvitation(db, byId(db).get({ id })!, secret);

/** The id of the invitation with this secret or masked secret; undefined if there is none. */
export const findInvitation = (db: Database, secret: string): number | undefined =>
  idOf(db)
    .pluck()
    .get({ hash: hashSecret(secret) }) ?? byId(db).get({ id: idInMasked(secret) })?.id;

/** The id of the invitation with this secret, if it can be used now. */
export const openInvitation = (db: Database, secret: string): number | undefined =>
  openByHash(db)
    .pluck()
    .get({ hash: hashSecret(secret), now: timestamp() });

/** Identifies an invitation in place of its secret, which is not stored. */
export const maskedSecret = (id: number) => `${MASK}-${id}`;

/** An invitation in its wire form. */
export const toWire = (invitation: Invitation) => ({ ...invitation, url: new OwnPath(invitation.url) });

const idInMasked = (masked: string) => Number(/^\*{5}-(\d{1,15})$/.exec(masked)?.[1] ?? 0);

function toInvitation(db: Database, { id, ...row }: Row, secret = maskedSecret(id)): Invitation {
  const { description: _, ...role } = rootRole(db, ROLES.viewer);
  return {
    ...row,
    secret,
    url: `/new-user?invite=${secret}`,
    enabled: row.enabled === 1,
    users: JSON.parse(row.users),
    role,
  };
}
