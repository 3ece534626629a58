/*
 * Parses a server's bytes as strictly as a proxy in front of it would.
 */

export interface Reply {
  status: number;
  headers: Map<string, string>;
  body: Buffer;
}

/** The complete responses on a connection, and the bytes after them. */
export interface Received {
  replies: Reply[];
  rest: Buffer;
}

/** A response that no proxy would pass on. */
export class BrokenReply extends Error {}

const STATUS_LINE = /^HTTP\/1\.1 (\d{3}) [\x20-\x7e]*$/;
const HEADER = /^([!#$%&'*+.^_`|~\dA-Za-z-]+): ?([\x20-\x7e\x80-\xff\t]*)$/;
const ONCE: ReadonlySet<string> = new Set(["content-length", "content-type", "transfer-encoding", "etag"]);

/**
 * @param isHead whether there may be responses to `HEAD`, which end with their headers
 * @throws BrokenReply if the bytes are not valid HTTP
 */
export function repliesIn(bytes: Buffer, isHead: boolean): Received {
  const replies: Reply[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    const end = rest.indexOf("\r\n\r\n");
    if (end === -1) break;
    const { status, headers } = headOf(rest.toString("latin1", 0, end));
    const after = rest.subarray(end + 4);
    const taken = bodyOf({ status, headers }, after, isHead);
    if (!taken) break;
    rest = after.subarray(taken.length);
    if (status >= 200) replies.push({ status, headers, body: taken.body });
  }
  if (!"HTTP/1.1 ".startsWith(rest.toString("latin1", 0, 9)))
    throw new BrokenReply("bytes after the end of a response");
  return { replies, rest };
}

function headOf(text: string) {
  const [first = "", ...lines] = text.split("\r\n");
  const status = Number(STATUS_LINE.exec(first)?.[1]);
  if (!status) throw new BrokenReply(`the status line ${JSON.stringify(first.slice(0, 200))}`);
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name = "", value = ""] = HEADER.exec(line) ?? [];
    const lower = name.toLowerCase();
    if (name === "") throw new BrokenReply(`the header ${JSON.stringify(line.slice(0, 200))}`);
    if (headers.has(lower) && ONCE.has(lower)) throw new BrokenReply(`two headers ${lower}`);
    headers.set(lower, value);
  }
  return { status, headers };
}

/** The body that follows, and how many bytes it takes; undefined while it is incomplete. */
function bodyOf({ status, headers }: Omit<Reply, "body">, after: Buffer, isHead: boolean) {
  const none = { body: Buffer.alloc(0), length: 0 };
  if (status < 200 || status === 204 || status === 304) return none;
  if (isHead && (after.length === 0 || after.toString("latin1", 0, 9) === "HTTP/1.1 ")) return none;
  const length = headers.get("content-length");
  const encoding = headers.get("transfer-encoding");
  // For HTTP/1.0, a stream ends with the connection; take what has arrived so far.
  if (length === undefined && encoding === undefined && headers.get("connection") === "close") {
    return { ...none, length: after.length };
  }
  if ((length === undefined) === (encoding === undefined)) {
    throw new BrokenReply("needs one of content-length and transfer-encoding");
  }
  if (encoding !== undefined) return chunkedBody(after);
  if (!/^\d+$/.test(length!)) throw new BrokenReply(`the content-length ${length}`);
  if (after.length < Number(length)) return undefined;
  return { body: after.subarray(0, Number(length)), length: Number(length) };
}

function chunkedBody(after: Buffer) {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = after.indexOf("\r\n", at);
    if (end === -1) return undefined;
    const size = after.toString("latin1", at, end);
    if (!/^[\da-f]+$/i.test(size))
      throw new BrokenReply(`the chunk size ${JSON.stringify(size.slice(0, 50))}`);
    const begin = end + 2;
    at = begin + Number.parseInt(size, 16) + 2;
    if (after.length < at) return undefined;
    if (begin + 2 === at) return { body: Buffer.concat(chunks), length: at };
    chunks.push(after.subarray(begin, at - 2));
  }
}
