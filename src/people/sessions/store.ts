import { type Database, query } from "../../db/statement.ts";
import { timestamp } from "../../lib/timestamp.ts";
import type { SignIn } from "./schema.ts";

interface Row {
  /** The hash of its secret. */
  hash: string;
  createdAt: string;
  expiresAt: string;
}

const ofUser = query<{ userId: number; now: string }, Row>(`
  SELECT hash, created_at AS createdAt, expires_at AS expiresAt FROM sessions
  WHERE user_id = :userId AND expires_at > :now ORDER BY created_at DESC, hash`);

/** A user's open sessions, newest first. */
export const openSessions = (db: Database, userId: number): Row[] =>
  ofUser(db).all({ userId, now: timestamp() });

const allSignIns = query<object, Omit<SignIn, "successful">>(`
  SELECT id, ifnull(username, '') AS username, method AS auth_type, created_at, address AS ip,
    failure AS failure_reason
  FROM sign_ins ORDER BY id DESC`);

/** The attempts to sign in, newest first. */
export const signIns = (db: Database): SignIn[] =>
  allSignIns(db)
    .all({})
    .map(({ ip, failure_reason, ...row }) => ({
      ...row,
      successful: failure_reason === null,
      ip,
      failure_reason,
    }));

/** The public id of a session, which doesn't reveal its secret. */
export const sessionId = ({ hash }: Pick<Row, "hash">) => hash.slice(0, 16);
