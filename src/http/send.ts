import type { IncomingMessage, ServerResponse } from "node:http";
import { endOfTurn } from "../turn.ts";
import { type Answering, type Parts, toReply } from "./response.ts";

/**
 * Writes a whole answer straight to its socket; going through a web Response would take as long as most answers.
 * Resolves once it is written, leaving h3 nothing to answer.
 */
export async function sendParts(
  parts: Parts,
  { method, headers: given }: IncomingMessage,
  response: ServerResponse,
  answering: Answering,
): Promise<void> {
  const { status, headers, body } = toReply(parts, { method, known: given["if-none-match"], answering });
  await endOfTurn();
  if (!response.destroyed) response.writeHead(status, headers).end(method === "HEAD" ? null : body);
}
