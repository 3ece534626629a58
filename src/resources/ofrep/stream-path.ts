import type { Actor } from "../../auth/actor.ts";
import { streamKey } from "../../auth/stream-key.ts";
import type { Database } from "../../db/statement.ts";
import { OwnPath } from "../../http/raw-json.ts";

export const STREAM = "/ofrep/v1/stream";

/** Where an application listens, which has to send nothing else. */
export const streamPath = (db: Database, { tokenId }: Actor) =>
  new OwnPath(`${STREAM}?key=${streamKey(db, tokenId!)}`);
