import * as v from "valibot";
import { hashSecret, TOKEN_TYPES } from "../../access/token.ts";
import {
  Hash,
  Id,
  kind,
  LineError,
  Name,
  OptionalText,
  OptionalTime,
  optional,
  requireKnown,
  withoutNulls,
} from "../../dataset/kind.ts";
import { query } from "../../db/statement.ts";
import { insertToken } from "./changes.ts";
import { encryptSecret } from "./changes-secrets.ts";
import { decryptSecret } from "./secrets-store.ts";

const Token = v.strictObject({
  id: optional(Id),
  type: v.picklist(TOKEN_TYPES),
  name: Name,
  hash: Hash,
  userId: optional(Id),
  projects: v.optional(v.array(Name), ["*"]),
  environment: OptionalText,
  createdAt: OptionalTime,
  expiresAt: OptionalTime,
  seenAt: OptionalTime,
  secret: OptionalText,
});

type Row = Omit<v.InferOutput<typeof Token>, "projects" | "createdAt"> & {
  projects: string;
  createdAt: string;
};

const all = query<object, Row>(`
  SELECT id, type, name, hash, user_id AS userId, projects, environment, created_at AS createdAt,
    expires_at AS expiresAt, seen_at AS seenAt, secret
  FROM tokens ORDER BY id`);

export const token = kind({
  name: "token",
  schema: Token,
  insert({ tx, db, now }, line) {
    if ((line.type === "user") !== (line.userId !== null)) {
      throw new LineError("userId: a token of the type user has one, another has none");
    }
    if (line.userId !== null) requireKnown(db, "user", line.userId, "userId");
    if (line.secret !== null) requireOwnSecret(line, line.secret);
    insertToken(tx).run({
      ...line,
      secret: line.secret && encryptSecret(tx, line.hash, line.secret),
      projects: JSON.stringify(line.projects),
      createdAt: line.createdAt ?? now,
    });
  },
  *rows(db) {
    for (const { projects, ...row } of all(db).iterate({})) {
      yield { ...withoutNulls(row), projects: JSON.parse(projects) };
    }
  },
  revealed: (db, { secret, ...row }) => ({
    ...row,
    ...(secret && { secret: decryptSecret(db, { hash: row.hash, secret }) }),
  }),
  masked: ({ secret: _, ...row }) => row,
});

/** A secret is kept only of API tokens, and only if the token has no other. */
function requireOwnSecret({ type, hash }: { type: string; hash: string }, secret: string) {
  if (type === "user") throw new LineError("secret: of a personal token can't be kept");
  if (hashSecret(secret) !== hash) throw new LineError("secret: its SHA-256 is not the hash");
}
