import * as v from "valibot";
import { beginSession, type Session } from "../access/session-store.ts";
import { HOLDS_ADMIN } from "../access/visibility.ts";
import type { Database } from "../db/database.ts";
import { command, query, valueQuery } from "../db/statement.ts";
import type { Tx } from "../events/write.ts";
import { syncGroups } from "./groups.ts";
import { noteSignIn } from "./sessions.ts";
import { Email, FullName, Username } from "./users-schema.ts";
import { createUser, isTaken, markSeen, requireUser, userByEmail, userToSignIn } from "./users-store.ts";

/*
 * People sign in through another system, which says who they are. Their account here belongs to what that system calls
 * them for ever, since names and e-mail addresses are edited and given to others.
 */

/** Somebody whom another system has signed in. */
export interface Identity {
  method: "oidc" | "proxy";
  /** The system: the address of a provider, or `proxy`. */
  issuer: string;
  /** Who it is there, for ever. */
  subject: string;
  username: string | null;
  /** Null unless the system has verified it. */
  email: string | null;
  name: string | null;
  /** Where a sign-out leads; null for where all lead. */
  signOutUrl: string | null;
  /** The names of their groups there; undefined if they are not to be followed. */
  groups?: readonly string[] | undefined;
}

/** Who gets an account at the first sign-in. */
export interface Admission {
  autoCreate: boolean;
  /** Of their e-mail addresses, in lower case; empty for any, or for none. */
  emailDomains: readonly string[];
  /** The id of the root role that they get. */
  rootRole: number;
}

/**
 * Signs in a person of another system: finds or creates their account, joins and leaves groups, and adds the attempt to
 * the history.
 * @returns the session, or the reason why there is none, worded for the person
 */
export function signInIdentity(
  tx: Tx,
  identity: Identity,
  admission: Admission,
  address: string | null,
): { session: Session } | { refusal: string } {
  const { method } = identity;
  const known = knownUser(tx.db, identity);
  const refusal = known === undefined ? refusalOf(tx.db, identity, admission) : null;
  if (refusal !== null) {
    noteSignIn(tx, { user: undefined, method, address, failure: refusal });
    return { refusal };
  }
  const { rootRole } = admission;
  const id = known ?? createUser(tx, { ...v.parse(Names, identity), rootRole, madeBy: method });
  if (idOf(tx.db, identity) === undefined) tie(tx).run({ ...keyOf(identity), userId: id });
  if (identity.groups) syncGroups(tx, id, identity.groups);
  markSeen(tx, id);
  noteSignIn(tx, { user: requireUser(tx.db, id), method, address, failure: null });
  const { subject, signOutUrl } = identity;
  return { session: beginSession(tx, id, { proxyUser: method === "proxy" ? subject : null, signOutUrl }) };
}

const Names = v.object({
  username: v.nullable(Username),
  email: v.nullable(Email),
  name: v.nullable(FullName),
});

const keyOf = ({ issuer, subject }: Identity) => ({ issuer, subject });

/** Whose account it is; at first, whose name it is here, if that may lead to it. */
function knownUser(db: Database, identity: Identity): number | undefined {
  const id = idOf(db, identity);
  if (id !== undefined) return id;
  const { method, issuer } = identity;
  const named = namedUser(db, identity);
  return named && isFound(db).get({ userId: named.id, method, issuer }) ? named.id : undefined;
}

/** A proxy is the operator's own and answers for the name, which may be an address; with a provider, people choose theirs. */
function namedUser(db: Database, { method, username, email }: Identity) {
  const isProxy = method === "proxy";
  const name = isProxy ? username : email;
  return name === null ? undefined : isProxy ? userToSignIn(db, name)?.user : userByEmail(db, name);
}

/**
 * Not if the user is already somebody else there. Nor if the account's names may be those of another person, who would
 * share it: whoever signs up types any, and another way to sign in asks nobody here.
 */
const isFound = query<{ userId: number; method: Identity["method"]; issuer: string }>(`
  SELECT 1 FROM users WHERE id = :userId AND ifnull(made_by, :method) = :method
    AND NOT EXISTS (SELECT 1 FROM identities WHERE user_id = :userId AND issuer = :issuer)
    AND NOT EXISTS (SELECT 1 FROM invitation_users WHERE user_id = :userId)`);

function refusalOf(db: Database, identity: Identity, admission: Admission): string | null {
  const names = v.safeParse(Names, identity);
  if (!names.success) return "Your username, e-mail address or name can't be one here";
  const { username, email } = names.output; // as they would be stored, without spaces around them
  if (isTaken(db, username) || isTaken(db, email))
    return "Another account has your username or e-mail address";
  if (!admission.autoCreate) return "You have no account here: ask an administrator for one";
  if (username === null && email === null) return "Neither a username nor a verified e-mail address was sent";
  const domain = email?.slice(email.lastIndexOf("@") + 1).toLowerCase();
  const { emailDomains } = admission;
  if (emailDomains.length === 0 || (domain !== undefined && emailDomains.includes(domain))) return null;
  return "Your e-mail address is not of a domain that may sign in";
}

/** The user that an account belongs to; undefined until the first sign-in. */
const idOf = (db: Database, identity: Identity) => tied(db).get(keyOf(identity));

const tied = valueQuery<{ issuer: string; subject: string }, number>(`
  SELECT user_id FROM identities WHERE issuer = :issuer AND subject = :subject`);

const tie = command<{ issuer: string; subject: string; userId: number }>(`
  INSERT INTO identities (issuer, subject, user_id) VALUES (:issuer, :subject, :userId)`);

/** The Admins who have signed in through other systems, each with these. */
export const tiedAdmins = (db: Database) => adminsTied(db).all({});

const adminsTied = query<object, { id: number; issuer: string }>(`
  SELECT users.id, issuer FROM identities JOIN users ON users.id = user_id WHERE ${HOLDS_ADMIN}`);
