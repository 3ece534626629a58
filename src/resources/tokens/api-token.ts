import { MASK } from "../../mask.ts";
import type { ApiToken } from "./schema.ts";
import type { Token } from "./store.ts";

/** A token that is nobody's as it is listed. */
export const toApiToken = (token: Token): ApiToken => ({
  secret: maskedSecret(token),
  ...publicPart(token),
  seenAt: token.seenAt,
});

/** What lists and events tell of it. */
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

/** Stands in for the secret, which is not kept: the public part of it, and the number of the token. */
export const maskedSecret = ({ id, projects, environment }: Token) =>
  `${projects.length === 1 ? projects[0] : "[]"}:${environment ?? "*"}.${MASK}-${id}`;

/** The number of the token that a masked secret stands for. */
export const idInMasked = (masked: string): number | undefined => {
  const [, id] = /\.\*{5}-(\d{1,15})$/.exec(masked) ?? [];
  return id === undefined ? undefined : Number(id);
};
