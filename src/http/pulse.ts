import type { ServerResponse } from "node:http";
import { hasEnded } from "../auth/token.ts";
import { watchCommits } from "../db/commits.ts";
import type { Database } from "../db/statement.ts";
import type { Log } from "../log.ts";
import { oneAtATime } from "../one-at-a-time.ts";
import { nextTurn } from "../turn.ts";
import { type Channel, forEach, isUpToDate, type Reader, tellAll } from "./channel.ts";
import { toApiError } from "./error.ts";
import { logError } from "./refuse.ts";

/** How often credentials are checked for expiry, in milliseconds. */
const TICK_MS = 1000;

/** Clients give up on a connection after a minute of silence, and so do most proxies. */
const HEARTBEAT_MS = 15_000;
const HEARTBEAT = Buffer.from(":\n\n");

/** A client that has read nothing for this many heartbeats is disconnected. */
const PATIENCE = 4;

/** Open channels by what their readers have in common. */
export type Channels = Map<string, Channel>;

/**
 * What keeps open channels going: readers are sent what is new, and heartbeats, and are cut off when they lose access.
 * One timer and one watch serve all channels.
 * @returns starts it, and returns what stops it again
 */
export function createPulse(db: Database, log: Log, channels: Channels, onTick: () => void) {
  const wake = oneAtATime(() => tellChannels(db, log, channels));
  const beat = oneAtATime(() => keepAlive(channels));
  let ticks = 0;
  const tick = () => {
    onTick();
    if ([...channels.values()].some(({ until }) => hasEnded(until))) wake();
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

async function tellChannels(db: Database, log: Log, channels: Channels) {
  for (const [key, channel] of channels) {
    if (isUpToDate(db, channel)) continue;
    await nextTurn();
    await tellAll(db, channel).catch((error) => {
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
  else if (++reader.missed >= PATIENCE) response.destroy();
}

/** Ends without waiting for a client that does not read. */
function endResponse(response: ServerResponse) {
  if (response.writableNeedDrain) response.destroy();
  else response.end();
}
