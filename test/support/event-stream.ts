import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import type { TestContext } from "node:test";

export interface Heard {
  id: string;
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into data of every shape
  data: any;
}

interface Asked {
  as?: string;
  headers?: Record<string, string>;
}

/** Opens a stream; a message that does not arrive within seconds fails the test. */
export async function hear(t: TestContext, url: string, { as, headers = {} }: Asked = {}) {
  const sent = { ...(as !== undefined && { authorization: as }), ...headers };
  const request = http.get(url, { agent: false, headers: sent });
  t.after(() => request.destroy());
  const [response] = (await once(request, "response")) as [http.IncomingMessage];
  const messages: Heard[] = [];
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
        deadline.onabort = () => reject(new Error(`${what}: nothing came`));
      });
  };
  return {
    request,
    response,
    /** Messages received and not yet taken. */
    messages,
    async next(): Promise<Heard> {
      await until(() => messages.length > 0 || isOver, "the next message");
      const message = messages.shift();
      assert.ok(message, "the stream has ended");
      return message;
    },
    /** Resolves when the server has closed it. */
    ended: () => until(() => isOver, "the end"),
  };
}

function toMessage(text: string): Heard[] {
  const fields = new Map(
    text.split("\n").map((line) => [line.split(": ", 1)[0]!, line.replace(/^\w+: /, "")]),
  );
  const data = fields.get("data");
  if (data === undefined) return [];
  return [{ id: fields.get("id") ?? "", event: fields.get("event") ?? "message", data: JSON.parse(data) }];
}
