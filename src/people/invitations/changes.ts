import crypto from "node:crypto";
import { ROLES } from "../../access/permissions.ts";
import { hashSecret } from "../../access/token.ts";
import { command } from "../../db/statement.ts";
import type { Tx } from "../../events/write.ts";
import { timestamp } from "../../lib/timestamp.ts";
import { createUser, type NewUser } from "../users/changes.ts";
import type { InvitationUpdate } from "./schema.ts";
import { invitationById, maskedSecret } from "./store.ts";

/** How long an invitation can be valid at most, in milliseconds: a month (original). */
const MAX_AGE_MS = 30 * 24 * 60 * 60 * 1000;

export interface InvitationRow {
  /** Null for the next free id. */
  id: number | null;
  name: string;
  hash: string;
  enabled: 0 | 1;
  createdAt: string;
  createdBy: string | null;
  expiresAt: string;
}

export const insertInvitation = command<InvitationRow>(`
  INSERT INTO invitations (id, name, hash, enabled, created_at, created_by, expires_at)
  VALUES (:id, :name, :hash, :enabled, :createdAt, :createdBy, :expiresAt)`);

export const insertInvitationUser = command<{ invitationId: number; userId: number }>(`
  INSERT INTO invitation_users (invitation_id, user_id) VALUES (:invitationId, :userId)`);

const update = command<{ id: number; enabled: 0 | 1 | null; expiresAt: string | null }>(`
  UPDATE invitations SET enabled = ifnull(:enabled, enabled), expires_at = ifnull(:expiresAt, expires_at)
  WHERE id = :id`);

/** Creates an invitation; its secret is not stored and can't be shown again. */
export function createInvitation(tx: Tx, { name, expiresAt }: { name: string; expiresAt: string }) {
  const secret = crypto.randomBytes(32).toString("hex");
  const row = { id: null, name, hash: hashSecret(secret), enabled: 1, createdAt: tx.now } as const;
  const createdBy = tx.actor.createdBy;
  const inserted = insertInvitation(tx).run({ ...row, createdBy, expiresAt: withinAMonth(tx, expiresAt) });
  const id = Number(inserted.lastInsertRowid);
  tx.record({ type: "public-signup-token-created", data: { ...invitationById(tx.db, id) } });
  return { secret, invitation: invitationById(tx.db, id, secret) };
}

/** Changes an existing invitation. */
export function updateInvitation(tx: Tx, id: number, { enabled, expiresAt }: InvitationUpdate) {
  const bit = enabled === undefined ? null : enabled ? 1 : 0;
  update(tx).run({ id, enabled: bit, expiresAt: expiresAt ?? null });
  const changed = {
    ...(enabled !== undefined && { enabled }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
  tx.record({ type: "public-signup-token-updated", data: { secret: maskedSecret(id), ...changed } });
}

/** Creates a user, always a Viewer, through a valid invitation. @returns the user's id */
export function signUp(tx: Tx, id: number, user: Omit<NewUser, "rootRole">): number {
  const userId = createUser(tx, { ...user, rootRole: ROLES.viewer });
  insertInvitationUser(tx).run({ invitationId: id, userId });
  tx.record({ type: "public-signup-token-user-added", data: { secret: maskedSecret(id), userId } });
  return userId;
}

function withinAMonth({ now }: Tx, time: string) {
  const latest = timestamp(Date.parse(now) + MAX_AGE_MS);
  return time < latest ? time : latest;
}
