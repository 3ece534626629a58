import net from "node:net";
import { setTimeout } from "node:timers/promises";
import type { Case } from "./checks.ts";

/** What the server sent on the connection of a case. */
export interface Exchange extends Received {
  /** The server closed the connection gracefully; after a reset, data may be lost. */
  isEnded: boolean;
  isReset: boolean;
  /** Not all required responses arrived in time. */
  isLate: boolean;
}

/** How long a response may take under load. */
const TIMEOUT_MS = 15_000;

/** Without a required response, how long after the last byte sent or received to wait. */
const QUIET_MS = 100;

const PAUSE_MS = 3;

/** Sends a case on a new connection and reads the responses. @throws BrokenReply */
export async function exchange(port: number, one: Case, timeout = TIMEOUT_MS): Promise<Exchange> {
  const line = connect(port);
  const isHead = Buffer.concat(one.pieces).includes("HEAD");
  const read = () => repliesIn(line.received(), isHead);
  await send(line.socket, one);
  if (one.hangsUp) line.socket.resetAndDestroy();
  const begin = performance.now();
  const isDone = () => {
    if (line.state.isClosed) return true;
    const { replies, rest } = read();
    if (one.answers === undefined) return performance.now() - line.state.changedAt > QUIET_MS;
    return replies.length >= one.answers && rest.length === 0;
  };
  let isLate = false;
  while (!isDone() && !isLate) {
    await line.changed();
    isLate = performance.now() - begin > timeout;
  }
  const received = read();
  line.socket.destroy();
  return { ...received, isLate, isEnded: line.state.isEnded, isReset: line.state.isReset || one.hangsUp };
}

/** A plain connection that collects everything it receives. */
function connect(port: number) {
  const chunks: Buffer[] = [];
  const state = { isClosed: false, isEnded: false, isReset: false, changedAt: performance.now() };
  let wake = () => {};
  const change = (changes: Partial<typeof state>) => {
    Object.assign(state, { changedAt: performance.now(), ...changes });
    wake();
  };
  const socket = net.connect(port, "127.0.0.1");
  socket.on("data", (chunk) => change({ changedAt: chunks.push(chunk) && performance.now() }));
  socket.on("end", () => change({ isEnded: true }));
  socket.on("error", () => change({ isReset: true })); // the server may hang up while we send
  socket.on("close", () => change({ isClosed: true }));
  return {
    socket,
    state,
    received: () => Buffer.concat(chunks),
    /** Resolves when data arrives or the connection ends, or after a while. */
    async changed() {
      const stop = new AbortController();
      const woken = new Promise<void>((resolve) => (wake = resolve));
      await Promise.race([
        woken,
        setTimeout(QUIET_MS / 2, undefined, { signal: stop.signal }).catch(() => {}),
      ]);
      stop.abort();
    },
  };
}

async function send(socket: net.Socket, { pieces, times }: Case) {
  for (let time = 0; time < times; time++) {
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) await setTimeout(PAUSE_MS);
      if (socket.destroyed) return;
      const flows = socket.write(piece);
      if (!flows) await Promise.race([drained(socket), setTimeout(TIMEOUT_MS, undefined, { ref: false })]);
    }
  }
}

/** Resolves when all is written or the connection is closed. */
const drained = (socket: net.Socket) =>
  new Promise<void>((resolve) => {
    for (const event of ["drain", "close"]) socket.once(event, () => resolve());
  });

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
 * Parses a server's bytes as strictly as a proxy in front of it would.
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
