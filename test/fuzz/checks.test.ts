import assert from "node:assert/strict";
import { test } from "node:test";
import { checkExchange, idsIn } from "./checks.ts";
import { CALLERS, HIDDEN_TEXT } from "./dataset.ts";
import { repliesIn } from "./exchange.ts";

/*
 * The fuzzer detects what it looks for.
 */

const ERROR = {
  id: "2fbb1ce9-fc6d-4f45-ad0d-285b509e6d1a",
  name: "NotFoundError",
  message: "There is nothing",
  details: [{ message: "There is nothing" }],
};

const JSON_TYPE = "content-type: application/json; charset=utf-8";

const answer = (status: string, body: string, ...headers: string[]) =>
  [`HTTP/1.1 ${status}`, `content-length: ${Buffer.byteLength(body)}`, ...headers, "", body].join("\r\n");

const SENT = "GET /api/admin/notifications HTTP/1.1\r\n\r\n";

function check(bytes: string, as: keyof typeof CALLERS = "outsider", sent = SENT) {
  const pieces = [Buffer.from(sent)];
  const one = { title: "a test", as, pieces, times: 1, hangsUp: false, answers: 1 };
  const exchange = { isEnded: true, isReset: false, isLate: false, ...repliesIn(Buffer.from(bytes), false) };
  checkExchange(one, exchange);
  return exchange;
}

test("pipelined responses are parsed, including chunked ones and those without a body", () => {
  const bytes = `HTTP/1.1 100 Continue\r\n\r\n${answer("200 OK", "[]")}HTTP/1.1 304 Not Modified\r\n\r\n`;
  const chunked =
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\n[\r\n1\r\n]\r\n0\r\n\r\nHTTP/1.1 2";
  const { replies, rest } = repliesIn(Buffer.from(bytes + chunked), false);
  assert.deepEqual(
    replies.map(({ status, body }) => [status, String(body)]),
    [
      [200, "[]"],
      [304, ""],
      [200, "[]"],
    ],
  );
  assert.equal(String(rest), "HTTP/1.1 2");
});

test("a correct response is not a finding, and its id must be in the log", () => {
  check(answer("200 OK", "[]"));
  assert.deepEqual(idsIn(check(answer("404 Not Found", JSON.stringify(ERROR), JSON_TYPE))), [ERROR.id]);
  check(answer("404 Not Found", JSON.stringify({ ...ERROR, message: HIDDEN_TEXT }), JSON_TYPE), "admin");
});

const WRONG: Record<string, string> = {
  "no answer": "",
  "half a response": answer("200 OK", "[]").slice(0, -1),
  "a byte too many": `${answer("200 OK", "[]")}x`,
  "two lengths": answer("200 OK", "[]", "content-length: 2"),
  "a broken header": answer("200 OK", "[]", "a header"),
  "an unknown status": answer("500 Internal Server Error", JSON.stringify(ERROR), JSON_TYPE),
  "an unexpected error body": answer("404 Not Found", JSON.stringify({ ...ERROR, details: [] }), JSON_TYPE),
  "an error with the wrong content type": answer(
    "404 Not Found",
    JSON.stringify(ERROR),
    "content-type: text/html",
  ),
  "a stack": answer("404 Not Found", JSON.stringify({ ...ERROR, message: "\n    at x" }), JSON_TYPE).replace(
    "\\n",
    "\n",
  ),
  SQL: answer("404 Not Found", JSON.stringify({ ...ERROR, message: "SELECT a FROM b" }), JSON_TYPE),
  "a secret": answer("404 Not Found", JSON.stringify({ ...ERROR, message: CALLERS.admin }), JSON_TYPE),
  "hidden data": answer("404 Not Found", JSON.stringify({ ...ERROR, message: HIDDEN_TEXT }), JSON_TYPE),
  "another shape": answer("200 OK", '[{"id":1}]', JSON_TYPE),
  "no gzip": answer("200 OK", "[]", "content-encoding: gzip"),
};

test("the subject of a list may be repeated, but nothing else that is hidden", () => {
  const events = (list: object[]) =>
    answer("200 OK", JSON.stringify({ version: 1, toggleName: HIDDEN_TEXT, events: list, totalEvents: 0 }));
  const sent = `GET /other/${HIDDEN_TEXT} HTTP/1.1\r\n\r\n`;
  check(events([]), "outsider", sent);
  assert.throws(() => check(events([{ featureName: HIDDEN_TEXT }]), "outsider", sent), /private project/);
});

test("a total that counts hidden events is a finding", () => {
  const sent = `POST /api/admin/events/search HTTP/1.1\r\n\r\n{"query":"${HIDDEN_TEXT}"}`;
  const search = (total: number) => answer("200 OK", `{"version":1,"events":[],"totalEvents":${total}}`);
  check(search(0), "outsider", sent);
  check(search(9), "member", sent);
  assert.throws(() => check(search(9), "outsider", sent), /counts nothing hidden/);
});

for (const [name, bytes] of Object.entries(WRONG)) {
  test(`${name} is a finding`, () => assert.throws(() => check(bytes), /expected|after|needs|header|two/));
}
