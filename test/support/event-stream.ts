import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import type { TestContext } from "node:test";

export interface Message {
  id: string;
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into data of every shape
  data: any;
}

interface StreamOptions {
  as?: string;
  headers?: Record<string, string>;
}

/** Opens a stream; a message that does not arrive within seconds fails the test. */
export async function openStream(t: TestContext, url: string, { as, headers = {} }: StreamOptions = {}) {
  const sent = { ...(as !== undefined && { authorization: as }), ...headers };
  const request = http.get(url, { agent: false, headers: sent });
  t.after(() => request.destroy());
  const [response] = (await once(request, "response")) as [http.IncomingMessage];
  const messages: Message[] = [];
  let [text, isOver, wake] = ["", false, () => {}];
  response.setEncoding("utf8").on("data", (chunk: string) => {
    const parts = (text + chunk).split("\n\n");
    text = parts.pop()!;
    messages.push(...parts.flatMap(toMessage));
    wake();
  });
  response.on("error", () => {});
  response.on("close", () => {
    isOver = true;
    wake();
  });
  const until = async (isSo: () => boolean, what: string) => {
    const deadline = AbortSignal.timeout(10_000);
    while (!isSo())
      await new Promise<void>((resolve, reject) => {
        wake = resolve;
        deadline.onabort = () => reject(new Error(`${what} did not arrive`));
      });
  };
  return {
    request,
    response,
    /** Messages received and not yet taken. */
    messages,
    async next(): Promise<Message> {
      await until(() => messages.length > 0 || isOver, "the next message");
      const message = messages.shift();
      assert.ok(message, "the stream has ended");
      return message;
    },
    /** Resolves when the server has closed it. */
    ended: () => until(() => isOver, "the end of the stream"),
  };
}

function toMessage(text: string): Message[] {
  const fields = new Map(
    text.split("\n").map((line) => [line.split(": ", 1)[0]!, line.replace(/^\w+: /, "")]),
  );
  const data = fields.get("data");
  if (data === undefined) return [];
  return [{ id: fields.get("id") ?? "", event: fields.get("event") ?? "message", data: JSON.parse(data) }];
}
