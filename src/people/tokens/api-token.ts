import { MASK } from "../../lib/mask.ts";
import type { ApiToken } from "./schema.ts";
import type { Token } from "./store.ts";

/** An API token as it is listed. */
export const toApiToken = (token: Token): ApiToken => ({
  secret: maskedSecret(token),
  ...publicPart(token),
  seenAt: token.seenAt,
});

/** The part of a token that lists and events show. */
export const publicPart = ({ name, type, projects, environment, expiresAt, createdAt }: Token) => ({
  tokenName: name,
  type: type as ApiToken["type"],
  project: projects.join(","),
  projects,
  environment: environment ?? "*",
  expiresAt,
  createdAt,
  alias: null,
  username: name,
});

/** Identifies a token in place of its secret, which is not stored: the secret's public part and the token's id. */
export const maskedSecret = ({ id, projects, environment }: Token) =>
  `${projects.length === 1 ? projects[0] : "[]"}:${environment ?? "*"}.${MASK}-${id}`;

/** The id of the token that a masked secret identifies. */
export const idInMasked = (masked: string): number | undefined => {
  const [, id] = /\.\*{5}-(\d{1,15})$/.exec(masked) ?? [];
  return id === undefined ? undefined : Number(id);
};
