import * as v from "valibot";
import { TOKEN_TYPES } from "../../auth/token.ts";
import { command, query } from "../../db/statement.ts";
import { LineError } from "../error.ts";
import { kind } from "../kind.ts";
import { requireKnown } from "../reference.ts";
import { Id, Name, OptionalText, OptionalTime, optional, withoutNulls } from "../value.ts";

const Token = v.strictObject({
  type: v.picklist(TOKEN_TYPES),
  name: Name,
  hash: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, "must be a SHA-256 as 64 lower-case hex digits")),
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

const insertRow = command<Row>(`
  INSERT INTO tokens (type, name, hash, user_id, projects, environment, created_at, expires_at, seen_at)
  VALUES (:type, :name, :hash, :userId, :projects, :environment, :createdAt, :expiresAt, :seenAt)`);

const all = query<object, Row>(`
  SELECT type, name, hash, user_id AS userId, projects, environment, created_at AS createdAt,
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
    insertRow(tx).run({ ...line, projects: JSON.stringify(line.projects), createdAt: line.createdAt ?? now });
  },
  *rows(db) {
    for (const { projects, ...row } of all(db).iterate({})) {
      yield { ...withoutNulls(row), projects: JSON.parse(projects) };
    }
  },
});
