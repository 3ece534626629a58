import zlib from "node:zlib";
import fc from "fast-check";
import type { Operation } from "../../src/http/operation.ts";
import { OPERATIONS } from "../../src/server/surfaces.ts";
import type { Case } from "./checks.ts";
import { CALLERS, type Caller, maySeeHidden, withoutHidden } from "./dataset.ts";
import { jsonText, objectText, text } from "./values.ts";

/*
 * Valid HTTP requests for every operation, with absurd values.
 */

/** Mostly a caller with access. */
export const caller: fc.Arbitrary<Caller> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<Caller>("admin", "outsider", "member", "service") },
  { weight: 1, arbitrary: fc.constantFrom(...(Object.keys(CALLERS) as Caller[])) },
);

/** Ways to escape a value in a URL: correctly, twice, every byte, or incompletely. */
const ESCAPES: ReadonlyArray<(value: string) => string> = [
  (value) => encodeURIComponent(value.toWellFormed()),
  (value) => encodeURIComponent(encodeURIComponent(value.toWellFormed())),
  (value) => Buffer.from(value).toString("hex").replaceAll(/../g, "%$&"),
  (value) => encodeURI(value.toWellFormed()),
];

/** Escapes a value, mostly within the server's limit for the length of a URL. */
const escapedIn = (value: fc.Arbitrary<string>) =>
  fc
    .tuple(
      value,
      fc.oneof(
        { weight: 6, arbitrary: fc.constant(ESCAPES[0]!) },
        { weight: 1, arbitrary: fc.constantFrom(...ESCAPES) },
      ),
    )
    .map(([one, encode]) => encode(one.slice(0, 8000)));

const inTarget = escapedIn(text);

/** Values that may be stored must not contain hidden words, or they would be visible in their new place. */
const shownInTarget = escapedIn(text.map(withoutHidden));

/** Parameters that name existing rows: a caller who cannot see one must be refused. */
const NAMES_EXISTING = /^:(projectId|featureName)$/;

const slashes = fc.oneof(
  { weight: 8, arbitrary: fc.constant("/") },
  { weight: 1, arbitrary: fc.constantFrom("//", "/./", "/../") },
);

/** @param isShown whether a part must not contain hidden words */
const pathOf = (path: string, isShown: (part: string) => boolean) =>
  fc
    .tuple(
      ...path
        .split("/")
        .slice(1)
        .map((part) => {
          const value = isShown(part) ? shownInTarget : inTarget;
          return fc.tuple(slashes, part.startsWith(":") ? value : fc.constant(part));
        }),
    )
    .map((parts) => parts.flat().join(""));

const queryOf = ({ query }: Operation, value: fc.Arbitrary<string>) => {
  const names = [...Object.keys(query?.entries ?? {}), "tag[]", "__proto__", "unknown"];
  return fc
    .array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 4 })
    .map((pairs) =>
      pairs.length === 0 ? "" : `?${pairs.map(([name, value]) => `${name}=${value}`).join("&")}`,
    );
};

const ENCODINGS = [
  "gzip",
  "br",
  "gzip, br",
  "deflate",
  "*",
  "identity;q=0",
  "*;q=0",
  "gzip;q=0.5, br;q=1e9",
  "x".repeat(9000),
  ";;,,",
];
const TAGS = ["*", '"a", W/"b", "c"', "W/", ",".repeat(9000), '"', `"${"x".repeat(8000)}"`];

const headers = fc
  .record(
    {
      "accept-encoding": fc.constantFrom(...ENCODINGS),
      "if-none-match": fc.constantFrom(...TAGS),
      "if-match": fc.constantFrom(...TAGS),
      expect: fc.constant("100-continue"),
      range: fc.constant("bytes=0-9"),
      cookie: fc.constant("a=b; __proto__=c"),
      "x-forwarded-for": fc.constantFrom("1.2.3.4", "::1, x", "\xff"),
      "content-type": fc.constant("application/json"),
    },
    { requiredKeys: [] },
  )
  .map((given) => Object.entries(given).map(([name, value]) => `${name}: ${value}`));

const bearer = fc.constantFrom("", "", "Bearer ", "bearer   ", "BEARER\t");

const NO_BODY: Body = { headers: [], bytes: Buffer.alloc(0) };

/** An object with keys of the operation's schema, or any JSON at all. */
function bodyFor({ body }: Operation, stores: boolean): fc.Arbitrary<Body> {
  const json = fc.oneof(
    { weight: 4, arbitrary: objectText(keysOf(body)) },
    { weight: 1, arbitrary: jsonText },
  );
  const given = bodyOf(stores ? json.map(withoutHidden) : json);
  const usual = body ? given : fc.constant(NO_BODY);
  return fc.oneof(
    { weight: 9, arbitrary: usual },
    { weight: 1, arbitrary: body ? fc.constant(NO_BODY) : given },
  );
}

const keysOf = (schema: object | undefined) =>
  Object.keys((schema as { entries?: object } | undefined)?.entries ?? { a: 1 });

const methodFor = ({ method }: Operation) =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constant(method) },
    { weight: 1, arbitrary: fc.constantFrom("HEAD", "OPTIONS", "DELETE", "PATCH") },
  );

/** Whether the request may store something; a search does not, although it is a POST. */
const isChange = ({ method, changes }: Operation, sent: string) =>
  !["GET", "HEAD", "OPTIONS"].includes(sent) && (changes || sent !== method);

const caseFor = (operation: Operation): fc.Arbitrary<Case> =>
  fc.tuple(caller, methodFor(operation)).chain(([as, method]) => requestOf(operation, as, method));

function requestOf(operation: Operation, as: Caller, method: string): fc.Arbitrary<Case> {
  const stores = isChange(operation, method);
  const isShown = (part: string) => stores && (maySeeHidden(as) || !NAMES_EXISTING.test(part));
  return fc
    .record({
      bearer,
      path: pathOf(operation.path, isShown),
      query: queryOf(operation, stores ? shownInTarget : inTarget),
      headers,
      body: bodyFor(operation, stores),
      // The second is often served from the cache.
      times: fc.constantFrom(1, 1, 2, 5),
      hangsUp: operation.isStream ? fc.constant(true) : fc.nat(11).map((one) => one === 11),
    })
    .map(({ bearer, path, query, headers, body, times, hangsUp }) => {
      const secret = CALLERS[as];
      const lines = [
        `${method} ${path}${query} HTTP/1.1`,
        "host: localhost",
        ...(secret ? [`authorization: ${bearer}${secret}`] : []),
        ...headers.filter((line) => !body.headers.some((own) => own.startsWith(line.split(":")[0]!))),
        ...body.headers,
      ];
      const head = Buffer.from([...lines, "", ""].join("\r\n"), "latin1");
      const title = `${operation.method} ${operation.path}`;
      const whole = Buffer.concat([head, body.bytes]);
      return { title, as, pieces: [whole], times, hangsUp, answers: hangsUp ? undefined : times };
    });
}

/** A request for any operation. */
export const operationCase: fc.Arbitrary<Case> = fc.oneof(
  ...OPERATIONS.filter(({ isStream }) => !isStream).map(caseFor), // streams never end
);

/** A request body: compressed or not, complete or not, with a content length or chunked. */
interface Body {
  headers: readonly string[];
  bytes: Buffer;
}

const ENCODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: (bytes) => zlib.gzipSync(bytes),
  deflate: (bytes) => zlib.deflateSync(bytes),
  br: (bytes) => zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } }),
};

/** 50 MB that compress to a few kilobytes. */
const bomb = Buffer.alloc(50_000_000, " ");
const BOMBS = new Map<string, Buffer>();

function bombFor(encoding: string) {
  if (!BOMBS.has(encoding)) BOMBS.set(encoding, ENCODERS[encoding]!(bomb));
  return BOMBS.get(encoding)!;
}

const compressed = (text: string) =>
  fc
    .tuple(fc.constantFrom("gzip", "deflate", "br"), fc.constantFrom("whole", "cut", "more", "bomb", "wrong"))
    .map(([encoding, how]) => {
      const whole = how === "bomb" ? bombFor(encoding) : ENCODERS[encoding]!(Buffer.from(text));
      const bytes = {
        whole,
        bomb: whole,
        cut: whole.subarray(0, whole.length / 2),
        more: Buffer.concat([whole, whole]),
        wrong: Buffer.from(text),
      }[how]!;
      return { headers: [`content-encoding: ${encoding}`], bytes };
    });

const plain = (text: string) =>
  fc
    .constantFrom([], ["content-encoding: identity"], ["content-encoding: rot13"])
    .map((headers) => ({ headers, bytes: Buffer.from(text) }));

/** Around and above the size limit of bodies. */
const huge = fc
  .integer({ min: 1_048_570, max: 3_000_000 })
  .map((size) => ({ headers: [], bytes: Buffer.alloc(size, " ") }));

const chunks = (bytes: Buffer, size: number) => {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    const part = bytes.subarray(at, at + size);
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from("\r\n"));
  }
  return Buffer.concat([...parts, Buffer.from("0\r\n\r\n")]);
};

/** In chunks of `size`, or with a content length if it is null. */
const framed = ({ headers, bytes }: Body, size: number | null): Body =>
  size === null
    ? { headers: [...headers, `content-length: ${bytes.length}`], bytes }
    : { headers: [...headers, "transfer-encoding: chunked"], bytes: chunks(bytes, size) };

const TYPES = [
  "application/json",
  "application/json; charset=utf-8",
  "application/json; charset=latin1",
  "text/plain",
  "",
];

const type = fc.oneof(
  { weight: 5, arbitrary: fc.constant(TYPES[0]!) },
  { weight: 1, arbitrary: fc.constantFrom(...TYPES) },
);

const size = fc.option(fc.constantFrom(1000, 65_536, 1), { freq: 3 });

/** The text as a body, in a random encoding and framing. */
const bodyOf = (text: fc.Arbitrary<string>): fc.Arbitrary<Body> =>
  fc
    .tuple(
      text.chain((one) =>
        fc.oneof(
          { weight: 8, arbitrary: plain(one) },
          { weight: 3, arbitrary: compressed(one) },
          { weight: 1, arbitrary: huge },
        ),
      ),
      type,
      size,
    )
    .map(([body, mime, chunk]) => {
      const { headers, bytes } = framed(body, chunk === 1 && body.bytes.length > 5000 ? 1000 : chunk);
      return { headers: [...headers, ...(mime === "" ? [] : [`content-type: ${mime}`])], bytes };
    });
