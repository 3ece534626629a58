import crypto from "node:crypto";
import { type Database, query } from "../db/statement.ts";

/*
 * A page can open a stream only by URL, and URLs end up in logs and histories. So it uses a key instead of its token:
 * one that gives access to nothing else, and is valid for as long as the token.
 */

const hashOf = query<{ id: number }, string>(`SELECT hash FROM tokens WHERE id = :id`);

/** The stream key of a token. */
export function streamKey(db: Database, tokenId: number): string {
  const hash = hashOf(db).pluck().get({ id: tokenId })!;
  return `${tokenId}.${crypto.createHmac("sha256", hash).update("stream").digest("hex")}`;
}

/** The hash of the token the key belongs to; undefined if there is none. */
export function tokenHashOf(db: Database, key: string): string | undefined {
  const [, id] = /^(\d{1,15})\.[\da-f]{64}$/.exec(key) ?? [];
  const hash =
    id === undefined
      ? undefined
      : hashOf(db)
          .pluck()
          .get({ id: Number(id) });
  const isValid =
    hash !== undefined && crypto.timingSafeEqual(Buffer.from(streamKey(db, Number(id))), Buffer.from(key));
  return isValid ? hash : undefined;
}
