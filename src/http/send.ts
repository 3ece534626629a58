import type { IncomingMessage, ServerResponse } from "node:http";
import { endOfTurn } from "../lib/background.ts";
import { type Parts, type SuccessOptions, toReply } from "./response.ts";

/**
 * Writes a whole response straight to its socket; going through a web Response would take as long as producing most of
 * them. Resolves once it is written, leaving h3 nothing to send.
 */
export async function sendParts(
  parts: Parts,
  { method, headers: given }: IncomingMessage,
  response: ServerResponse,
  success: SuccessOptions,
): Promise<void> {
  const { status, headers, body } = toReply(parts, { method, known: given["if-none-match"], success });
  await endOfTurn();
  if (!response.destroyed) response.writeHead(status, headers).end(method === "HEAD" ? null : body);
}
