import * as v from "valibot";
import { TOKEN_TYPES } from "../../auth/token.ts";
import { query } from "../../db/statement.ts";
import { LineError } from "../../transfer/error.ts";
import { kind } from "../../transfer/kind.ts";
import { requireKnown } from "../../transfer/reference.ts";
import { Hash, Id, Name, OptionalText, OptionalTime, optional, withoutNulls } from "../../transfer/value.ts";
import { insertToken } from "./changes.ts";

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
});

type Row = Omit<v.InferOutput<typeof Token>, "projects" | "createdAt"> & {
  projects: string;
  createdAt: string;
};

const all = query<object, Row>(`
  SELECT id, type, name, hash, user_id AS userId, projects, environment, created_at AS createdAt,
    expires_at AS expiresAt, seen_at AS seenAt
  FROM tokens ORDER BY id`);

export const token = kind({
  name: "token",
  schema: Token,
  insert({ tx, db, now }, line) {
    if ((line.type === "user") !== (line.userId !== null)) {
      throw new LineError("userId: a token of the type user has one, another has none");
    }
    if (line.userId !== null) requireKnown(db, "user", line.userId, "userId");
    insertToken(tx).run({
      ...line,
      projects: JSON.stringify(line.projects),
      createdAt: line.createdAt ?? now,
    });
  },
  *rows(db) {
    for (const { projects, ...row } of all(db).iterate({})) {
      yield { ...withoutNulls(row), projects: JSON.parse(projects) };
    }
  },
});
