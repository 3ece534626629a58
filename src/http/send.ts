import type { IncomingMessage, ServerResponse } from "node:http";
import { endOfTurn } from "../turn.ts";
import { type Answering, type Parts, toReply } from "./response.ts";

/**
 * Writes a whole answer to its socket, past the web's Response, which would take as long as most answers. Resolves when
 * it is written, with nothing left for h3 to answer.
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
