import net from "node:net";
import { setTimeout } from "node:timers/promises";
import type { Case } from "./case.ts";
import { type Received, repliesIn } from "./replies.ts";

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
