import { type Database, query } from "../../db/statement.ts";

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
  ofUser(db).all({ userId, now: new Date().toISOString() });

/** The public id of a session, which doesn't reveal its secret. */
export const sessionId = ({ hash }: Pick<Row, "hash">) => hash.slice(0, 16);
