import fc from "fast-check";
import type { Case } from "./checks.ts";
import { CALLERS, type Caller } from "./dataset.ts";
import { caller } from "./operation-cases.ts";

/*
 * Bytes that no HTTP client would send.
 */

const METHODS = [
  "GET",
  "POST",
  "HEAD",
  "OPTIONS",
  "TRACE",
  "CONNECT",
  "PRI",
  "PUT",
  "get",
  "",
  "G\0T",
  "X".repeat(5000),
];

const TARGETS = [
  "/api/admin/events",
  "/api/admin/events?project=open",
  "/api/admin/notifications",
  "/",
  "/..",
  "//api///admin//events//",
  "/api/admin/../admin/events",
  "/api/%61dmin/events",
  "/api/admin/%zz",
  "/api/admin/\0",
  "/%00",
  "/\x80\xff",
  "*",
  "",
  "http://x:99999/api/admin/events",
  "http://127.0.0.1/api/admin/events",
  "http://",
  "https://[::1",
  "//[",
  "localhost:80",
  "api",
  "?",
  "#a",
  "/a b",
  "/health",
  "/ready",
  "/avatars/x.svg",
  `/avatars/${"0".repeat(64)}.svg`,
  "/internal-backstage/prometheus",
];

const VERSIONS = ["HTTP/1.1", "HTTP/1.0", "HTTP/0.9", "HTTP/2.0", "HTTP/1.1 x", "http/1.1", "HTTP/1.", ""];

const HOSTS = [
  "localhost",
  "x:99999",
  "999.1.1.1",
  "[::1",
  "a b",
  "",
  "\xff",
  "a@b",
  "x/../y",
  "x".repeat(3000),
];

const HEADERS = [
  "Host: other",
  "Content-Length: 0",
  "Content-Length: 5",
  "Content-Length: 6",
  "Content-Length: -1",
  "Content-Length: +5",
  "Content-Length: 5, 5",
  "Content-Length: 0x5",
  "Content-Length: 1e1",
  "Content-Length: 99999999999999999999",
  "Transfer-Encoding: chunked",
  "Transfer-Encoding: identity",
  "Transfer-Encoding: chunked, chunked",
  "Transfer-Encoding: xchunked",
  "Transfer-Encoding : chunked",
  "Transfer-Encoding:\x0bchunked",
  "Expect: 100-continue",
  "Expect: 200-ok",
  "Connection: close",
  "Connection: keep-alive, Upgrade",
  "Upgrade: websocket",
  "Upgrade: h2c",
  "Content-Type: application/json",
  "Authorization: second",
  "If-None-Match: *",
  "X: a\0b",
  "X: a\rb",
  " folded",
  "no colon",
  ": no name",
  "__proto__: x",
  "X-Forwarded-For: \xff, ::1",
  "Trailer: x",
  "TE: trailers",
  "Range: bytes=0-1",
  `X: ${"y".repeat(20_000)}`,
  Array.from({ length: 3000 }, (_, index) => `h${index}: 1`).join("\r\n"),
];

const BODIES = [
  "",
  "hello",
  "5\r\nhello\r\n0\r\n\r\n",
  '5;ext="\r\n"\r\nhello\r\n0\r\n\r\n',
  "-1\r\nx\r\n",
  "ffffffffffffffff\r\nx\r\n",
  "5\r\nhelloXX0\r\n\r\n",
  "0\r\nX: y\r\nHost: z\r\n\r\n",
  "0\r\n\r\nGET /api/admin/events HTTP/1.1\r\nHost: x\r\n\r\n",
  "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
  `5\n${"z".repeat(70_000)}`,
];

const often = <T>(usual: T, ...others: readonly T[]) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant(usual) },
    { weight: 2, arbitrary: fc.constantFrom(...others) },
  );

const long = fc.tuple(fc.constantFrom("/a", "/", "?a=", "&b", "%41", "\xfc"), fc.nat(20_000));

const target = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...TARGETS) },
  { weight: 1, arbitrary: long.map(([unit, times]) => `/${unit.repeat(times)}`) },
  { weight: 1, arbitrary: fc.string({ unit: "binary-ascii", maxLength: 40 }) },
);

const message = fc
  .record({
    as: caller,
    method: often("GET", ...METHODS),
    target,
    version: often("HTTP/1.1", ...VERSIONS),
    host: often("localhost", ...HOSTS),
    headers: fc.array(fc.constantFrom(...HEADERS), { maxLength: 4 }),
    body: fc.constantFrom(...BODIES),
    newline: often("\r\n", "\n", "\r", "\r\n\t"),
  })
  .map(({ as, method, target, version, host, headers, body, newline }) => {
    const secret = CALLERS[as];
    const lines = [
      `${method} ${target} ${version}`,
      `Host: ${host}`,
      ...(secret ? [`Authorization: ${secret}`] : []),
    ];
    return { as, bytes: Buffer.from([...lines, ...headers, "", body].join(newline), "latin1") };
  });

/** With some bytes changed, or truncated. */
const corrupted = (message: fc.Arbitrary<{ as: Caller; bytes: Buffer }>) =>
  fc
    .tuple(
      message,
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 }),
      fc.option(fc.nat(), { freq: 4 }),
    )
    .map(([{ as, bytes }, changes, end]) => {
      const copy = Buffer.from(bytes);
      for (const [at, byte] of changes) copy[at % copy.length] = byte;
      return { as, bytes: end === null ? copy : copy.subarray(0, end % copy.length) };
    });

/** Cuts the bytes at the given places, to be sent separately. */
const cut = (bytes: Buffer, at: number[]) => {
  const places = [0, ...at.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
};

/** A broken, dubious or unusual message, sent in pieces, repeatedly, or cut off. */
export const rawCase: fc.Arbitrary<Case> = fc
  .record({
    message: fc.oneof(message, corrupted(message)),
    cuts: fc.array(fc.nat(), { maxLength: 4 }),
    times: fc.oneof(
      { weight: 3, arbitrary: fc.constant(1) },
      { weight: 1, arbitrary: fc.integer({ min: 2, max: 20 }) },
    ),
    hangsUp: fc.integer({ min: 0, max: 9 }).map((one) => one === 9),
  })
  .map(({ message: { as, bytes }, cuts, times, hangsUp }) => ({
    title: "raw bytes",
    as,
    pieces: cut(bytes, cuts),
    times,
    hangsUp,
    answers: undefined,
  }));
