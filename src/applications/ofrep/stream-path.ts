import type { Actor } from "../../access/actor.ts";
import { streamKey } from "../../access/stream-key.ts";
import type { Database } from "../../db/statement.ts";
import { OwnPath } from "../../lib/raw-json.ts";

export const STREAM = "/ofrep/v1/stream";

/** The path for listening; it identifies the token, so that no header is needed. */
export const streamPath = (db: Database, { tokenId }: Actor) =>
  new OwnPath(`${STREAM}?key=${streamKey(db, tokenId!)}`);
