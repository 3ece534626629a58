import * as v from "valibot";
import { hashPassword } from "../access/password-hash.ts";
import { ROLES } from "../access/permissions.ts";
import { hashSecret, randomSecret } from "../access/token.ts";
import { Flag, Hash, Id, kind, OptionalText, OptionalTime } from "../dataset/kind.ts";
import type { Database } from "../db/database.ts";
import { command, fromStored, query, type Stored, toStored, valueQuery } from "../db/statement.ts";
import { GET, POST, PUT, WithHeaders } from "../http/operation.ts";
import { found, invalid } from "../lib/api-error.ts";
import { OwnPath } from "../lib/raw-json.ts";
import { MASK } from "../lib/text.ts";
import { timestamp } from "../lib/time.ts";
import { ShortText, Time, Timestamp } from "../lib/validation.ts";
import { requireStrongPassword, WEAK_PASSWORD } from "./passwords.ts";
import { Role, rootRole } from "./roles.ts";
import { Email, FullName, User, Username } from "./users-schema.ts";
import { createUser, requireFreeNames, requireUser } from "./users-store.ts";

/**
 * A link with which anyone can create an account. Its secret appears only in the response that creates it; elsewhere a
 * masked form identifies the invitation.
 */
export const Invitation = v.strictObject({
  secret: v.string(),
  name: v.string(),
  url: v.string(),
  expiresAt: Timestamp,
  enabled: v.boolean(),
  createdAt: Timestamp,
  createdBy: v.nullable(v.string()),
  users: v.array(v.pick(User, ["id", "name", "username"])),
  role: v.omit(Role, ["description"]),
});
type Invitation = v.InferOutput<typeof Invitation>;

export const NewInvitation = v.object({ name: ShortText, expiresAt: Time });

/** A change to an invitation; properties that are left out stay as they are. */
export const InvitationUpdate = v.pipe(
  v.object({ expiresAt: v.optional(Time), enabled: v.optional(v.boolean()) }),
  v.check(
    ({ expiresAt, enabled }) => expiresAt !== undefined || enabled !== undefined,
    "must have expiresAt or enabled",
  ),
);

/** What an invited user fills in; the role is not a choice. */
export const InvitedUser = v.object({
  username: v.nullish(Username, null),
  email: Email,
  name: FullName,
  password: v.string(),
});

const ofInvitations = {
  tag: "Invitations",
  path: "/api/admin/invite-link/tokens",
  permission: "ADMIN",
} as const;

const ofInvitation = {
  ...ofInvitations,
  path: `${ofInvitations.path}/:token`,
  errors: ["NotFoundError"],
  response: Invitation,
} as const;

/** For the person invited. */
const ofInvited = { tag: "Invitations", permission: null } as const;

export const listInvitations = GET({
  ...ofInvitations,
  id: "getAllPublicSignupTokens",
  summary: "The invitations, with masked secrets",
  response: v.strictObject({ tokens: v.array(Invitation) }),
}).run(({ db }) => ({
  tokens: all(db)
    .all({})
    .map((row) => toWire(toInvitation(db, row))),
}));

/** How long an invitation can be valid at most, in milliseconds: a month (original). */
const MAX_AGE_MS = 30 * 24 * 60 * 60 * 1000;

export const createInvitation = POST({
  ...ofInvitations,
  id: "createPublicSignupToken",
  summary: "Create a link for signing up, valid for a month at most; it is shown only once",
  body: NewInvitation,
  status: 201,
  records: ["public-signup-token-created"],
  response: Invitation,
  example: { name: "The new colleagues", expiresAt: "2099-01-31T09:00:00.000Z" },
}).change(({ tx, body: { name, expiresAt: wanted } }) => {
  const secret = randomSecret(); // not stored
  const latest = timestamp(Date.parse(tx.now) + MAX_AGE_MS);
  const expiresAt = wanted < latest ? wanted : latest;
  const { createdBy } = tx.actor;
  const row = {
    id: null,
    name,
    hash: hashSecret(secret),
    enabled: 1,
    createdAt: tx.now,
    createdBy,
    expiresAt,
  } as const;
  const id = Number(insert(tx).run(row).lastInsertRowid);
  tx.record({ type: "public-signup-token-created", data: invitationById(tx.db, id) });
  return new WithHeaders(toWire(invitationById(tx.db, id, secret)), { location: `tokens/${secret}` });
});

export const readInvitation = GET({
  ...ofInvitation,
  id: "getPublicSignupToken",
  summary: "An invitation, by its secret or masked secret",
}).run(({ db, params: { token } }) => toWire(invitationById(db, requireInvitation(db, token))));

export const updateInvitation = PUT({
  ...ofInvitation,
  id: "updatePublicSignupToken",
  summary: "Disable or enable an invitation, or set when it expires",
  body: InvitationUpdate,
  records: ["public-signup-token-updated"],
  example: { enabled: false },
}).change(({ tx, params: { token }, body: { enabled, expiresAt } }) => {
  const id = requireInvitation(tx.db, token);
  update(tx).run(toStored({ id, enabled: enabled ?? null, expiresAt: expiresAt ?? null }));
  const changed = {
    ...(enabled !== undefined && { enabled }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
  tx.record({ type: "public-signup-token-updated", data: { secret: maskedSecret(id), ...changed } });
  return toWire(invitationById(tx.db, id));
});

export const checkInvitation = GET({
  ...ofInvited,
  id: "validatePublicSignupToken",
  summary: "Whether an invitation can be used",
  path: "/invite/:token/validate",
}).run(({ db, params: { token } }) => void requireOpenInvitation(db, token));

export const useInvitation = POST({
  ...ofInvited,
  id: "addPublicSignupTokenUser",
  summary: "Sign up through an invitation, as a Viewer",
  path: "/invite/:token/signup",
  body: InvitedUser,
  status: 201,
  errors: WEAK_PASSWORD,
  records: ["user-created", "public-signup-token-user-added"],
  response: User,
  example: {
    email: "robin@shop.example",
    username: "robin",
    name: "Robin",
    password: "four horses graze quietly 4!",
  },
})
  .prepare(({ db, params: { token }, body: { password } }) => {
    requireOpenInvitation(db, token); // so that only valid invitations cost a hash
    requireStrongPassword(password);
    return hashPassword(password);
  })
  .change(({ tx, params: { token }, body: { password: _, ...names }, prepared: passwordHash }) => {
    const invitationId = requireOpenInvitation(tx.db, token);
    requireFreeNames(tx.db, names);
    const userId = createUser(tx, { ...names, passwordHash, rootRole: ROLES.viewer });
    insertUser(tx).run({ invitationId, userId });
    const data = { secret: maskedSecret(invitationId), userId };
    tx.record({ type: "public-signup-token-user-added", data });
    return requireUser(tx.db, userId);
  });

type Row = Stored<Omit<Invitation, "secret" | "url" | "role">> & { id: number };

const COLUMNS = `id, name, enabled, created_at AS createdAt, created_by AS createdBy, expires_at AS expiresAt, (
    SELECT json_group_array(json_object('id', users.id, 'name', users.name, 'username', username) ORDER BY users.id)
    FROM invitation_users JOIN users ON users.id = user_id WHERE invitation_id = invitations.id) AS users`;

const all = query<object, Row>(`SELECT ${COLUMNS} FROM invitations ORDER BY id`);

const byId = query<{ id: number }, Row>(`SELECT ${COLUMNS} FROM invitations WHERE id = :id`);

const idOf = valueQuery<{ hash: string }, number>(`SELECT id FROM invitations WHERE hash = :hash`);

const openByHash = valueQuery<{ hash: string; now: string }, number>(`
  SELECT id FROM invitations WHERE hash = :hash AND enabled AND expires_at > :now`);

/** An existing invitation. @param secret if it was just created */
const invitationById = (db: Database, id: number, secret?: string): Invitation =>
  toInvitation(db, byId(db).get({ id })!, secret);

function toInvitation(db: Database, { id, ...row }: Row, secret = maskedSecret(id)): Invitation {
  const { description: _, ...role } = rootRole(db, ROLES.viewer);
  return { ...fromRow(row), secret, url: `/new-user?invite=${secret}`, role };
}

const fromRow = fromStored(Invitation);

/** In events, the URL is a path. */
const toWire = (invitation: Invitation) => ({ ...invitation, url: new OwnPath(invitation.url) });

/** Identifies an invitation in place of its secret. */
const maskedSecret = (id: number) => `${MASK}-${id}`;

const idInMasked = (masked: string) => Number(/^\*{5}-(\d{1,15})$/.exec(masked)?.[1] ?? 0);

/** The id of an invitation, given its secret or masked secret. @throws ApiError `NotFoundError` */
function requireInvitation(db: Database, secret: string): number {
  const hash = hashSecret(secret);
  const id = idOf(db).get({ hash }) ?? byId(db).get({ id: idInMasked(secret) })?.id;
  return found(id, "invitation with this token");
}

/** The id of an invitation that can be used now. @throws ApiError `ValidationError` */
function requireOpenInvitation(db: Database, secret: string): number {
  const id = openByHash(db).get({ hash: hashSecret(secret), now: timestamp() });
  if (id !== undefined) return id;
  throw invalid({ path: "path.token", message: "is unknown, has expired or is switched off" });
}

/** The id is null for the next free one. */
type NewRow = Omit<Row, "id" | "users"> & { id: number | null; hash: string };

const insert = command<NewRow>(`
  INSERT INTO invitations (id, name, hash, enabled, created_at, created_by, expires_at)
  VALUES (:id, :name, :hash, :enabled, :createdAt, :createdBy, :expiresAt)`);

const insertUser = command<{ invitationId: number; userId: number }>(`
  INSERT INTO invitation_users (invitation_id, user_id) VALUES (:invitationId, :userId)`);

const update = command<{ id: number; enabled: 0 | 1 | null; expiresAt: string | null }>(`
  UPDATE invitations SET enabled = ifnull(:enabled, enabled), expires_at = ifnull(:expiresAt, expires_at)
  WHERE id = :id`);

const InvitationLine = v.strictObject({
  id: Id,
  name: ShortText,
  hash: Hash,
  enabled: Flag(true),
  createdAt: OptionalTime,
  createdBy: OptionalText,
  expiresAt: Time,
  users: v.optional(v.array(Id), []),
});

const lines = query<object, object>(`
  SELECT id, name, hash, created_at AS createdAt, created_by AS createdBy, expires_at AS expiresAt, enabled,
    (SELECT json_group_array(user_id ORDER BY user_id) FROM invitation_users
      WHERE invitation_id = invitations.id) AS users
  FROM invitations ORDER BY id`);

export const invitation = kind({
  name: "invitation",
  isNumbered: true,
  schema: InvitationLine,
  refers: { users: "user" },
  insert({ tx, now }, { users, ...row }) {
    insert(tx).run(toStored({ ...row, createdAt: row.createdAt ?? now }));
    for (const userId of new Set(users)) insertUser(tx).run({ invitationId: row.id, userId });
  },
  rows: (db) => lines(db).iterate({}),
});
