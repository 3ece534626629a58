import type { ServerResponse } from "node:http";
import { isExpired } from "../access/token.ts";
import { watchCommits } from "../db/commits.ts";
import type { Database } from "../db/statement.ts";
import type { Log } from "../lib/logger.ts";
import { oneAtATime } from "../lib/one-at-a-time.ts";
import { nextTurn } from "../lib/turn.ts";
import { broadcast, type Channel, forEach, isUpToDate, type Reader } from "./channel.ts";
import { toApiError } from "./failure.ts";
import { logError } from "./refuse.ts";

/** How often credentials are checked for expiry, in milliseconds. */
const TICK_MS = 1000;

/** Clients and most proxies give up on a connection after a minute of silence. */
const HEARTBEAT_MS = 15_000;
const HEARTBEAT = Buffer.from(":\n\n");

/** A client that has read nothing for this many heartbeats is disconnected. */
const MAX_MISSED = 4;

/** Open channels, by the request and credential that their readers share. */
export type Channels = Map<string, Channel>;

/**
 * Keeps open channels alive: readers are sent new messages and heartbeats, and are disconnected when they lose access.
 * One timer and one watch serve all channels.
 * @returns a function that starts it, and returns one that stops it again
 */
export function createPulse(db: Database, log: Log, channels: Channels, onTick: () => void) {
  const wake = oneAtATime(() => updateChannels(db, log, channels));
  const beat = oneAtATime(() => keepAlive(channels));
  let ticks = 0;
  const tick = () => {
    onTick();
    if ([...channels.values()].some(({ until }) => isExpired(until))) wake();
    if (++ticks % (HEARTBEAT_MS / TICK_MS) === 0) beat();
  };
  return () => {
    const unwatch = watchCommits(db, wake);
    const timer = setInterval(tick, TICK_MS).unref();
    return () => {
      unwatch();
      clearInterval(timer);
    };
  };
}

/** Disconnects all readers of a channel. */
export function endChannel(channels: Channels, key: string, { readers }: Channel) {
  channels.delete(key);
  for (const { response } of readers) endResponse(response);
}

async function updateChannels(db: Database, log: Log, channels: Channels) {
  for (const [key, channel] of channels) {
    if (isUpToDate(db, channel)) continue;
    await nextTurn();
    await broadcast(db, channel).catch((error) => {
      logError(log, toApiError(error));
      endChannel(channels, key, channel);
    });
  }
}

async function keepAlive(channels: Channels) {
  for (const { readers } of channels.values()) await forEach(readers, sendHeartbeat);
}

function sendHeartbeat(reader: Reader) {
  const { response } = reader;
  if (!response.writableNeedDrain) response.write(HEARTBEAT);
  else if (++reader.missed >= MAX_MISSED) response.destroy();
}

/** Ends without waiting for a client that does not read. */
function endResponse(response: ServerResponse) {
  if (response.writableNeedDrain) response.destroy();
  else response.end();
}
