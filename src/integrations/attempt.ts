import type { Database } from "../db/database.ts";
import { DataError } from "../db/error.ts";
import type { Event } from "../events/schema.ts";
import { BoundedMap } from "../lib/bounded-map.ts";
import type { Log } from "../lib/logger.ts";
import { timestamp } from "../lib/time.ts";
import { type Attempt, eventFor, type Target } from "./deliveries.ts";
import type { Slot } from "./pace.ts";
import { decryptedParameters } from "./parameters.ts";
import { serviceNamed } from "./providers.ts";
import { failed, type Outcome, type Outside } from "./service.ts";

/** A clock that tests can control. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back later. @returns a function that cancels it */
  after(ms: number, act: () => void): () => void;
  /** From 0 up to, but not including, 1. */
  random(): number;
}

/** The longest delay of a timer in Node, in milliseconds; callers that wake early check again. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: Date.now,
  after(ms, act) {
    const timer = setTimeout(act, Math.min(ms, MAX_TIMER_MS)).unref();
    return () => clearTimeout(timer);
  },
  random: Math.random,
};

/** The most attempts per delivery, over about twenty minutes. */
const MAX_ATTEMPTS = 10;

const FIRST_MS = 1000;

/** A single failure may be due to the event; this many in a row are due to the receiver. */
export const FAILURES_TO_OPEN = 5;

/** The longest pause for a receiver that keeps failing. */
const MAX_MS = 10 * 60_000;

/** The longest wait that a receiver can request with Retry-After. */
const MAX_REQUESTED_MS = 60 * 60_000;

/**
 * The wait before the next attempt: doubles each time, minus up to a quarter, so that deliveries that failed together
 * don't retry together.
 * @param failures the number so far, 1 or more
 * @param requestedMs the wait that the receiver requested
 */
function delayMs(clock: Clock, failures: number, requestedMs = 0): number {
  const longest = Math.min(FIRST_MS * 2 ** (failures - 1), MAX_MS);
  const delay = Math.round(longest * (1 - clock.random() / 4));
  return Math.max(delay, Math.min(requestedMs, MAX_REQUESTED_MS));
}

export interface AttemptContext {
  db: Database;
  log: Log;
  clock: Clock;
  outside: Outside;
  /** As texts. @throws UnreadableSecretError if the key of its secrets is missing */
  parameterValues(target: Target): Readonly<Record<string, string>>;
  /** @param failures the integration's number of consecutive failures: failing receivers don't hold up others */
  takeSlot(failures: number): Promise<Slot>;
}

interface AttemptOptions {
  eventId: number;
  /** The number of earlier attempts. */
  attempts: number;
  /** See Delivery. */
  remaining?: string | null;
  /** The integration's number of consecutive failures. */
  failures: number;
  slot: Slot;
  /** A test, which was not queued and is not retried. */
  isTest?: boolean;
}

/**
 * Delivers an event to an integration once.
 * @returns the attempt to record; undefined if the event no longer exists
 */
export async function attempt(
  context: AttemptContext,
  target: Target,
  { eventId, attempts, remaining = null, failures, slot, isTest = false }: AttemptOptions,
): Promise<Attempt | undefined> {
  const { db, clock } = context;
  const event = eventFor(db).get({ integrationId: target.id, eventId });
  if (!event) return undefined;
  slot.add(event.wire.length);
  const begin = performance.now();
  const counting = { ...context, outside: counted(context.outside, slot) };
  const outcome = await outcomeOf(counting, target, event, remaining);
  const durationMs = Math.round(performance.now() - begin);
  const after = (ms: number) => timestamp(clock.now() + ms);
  const { requestedMs } = outcome.retry ?? {};
  const isLast = isTest || outcome.retry === undefined || attempts + 1 >= MAX_ATTEMPTS;
  const retryAt = isLast ? undefined : after(delayMs(clock, attempts + 1, requestedMs));
  return {
    integrationId: target.id,
    eventId,
    now: after(0),
    state: outcome.state,
    stateDetails:
      outcome.retry && isLast && !isTest ? `${outcome.stateDetails}\n${GIVEN_UP}` : outcome.stateDetails,
    details: {
      ...outcome.details,
      ...(isTest ? { test: true } : { attempt: attempts + 1 }),
      durationMs,
      ...(retryAt && { retryAt }),
    },
    retryAt,
    remaining: outcome.retry?.remaining,
    backoffUntil: after(outcome === HIDDEN ? 0 : delayMs(clock, failures + 1, requestedMs)),
  };
}

const counted = (outside: Outside, slot: Slot): Outside => ({
  ...outside,
  post: (url, message, now) => {
    slot.add(Buffer.byteLength(message.body));
    return outside.post(url, message, now);
  },
});

const GIVEN_UP = `Given up after ${MAX_ATTEMPTS} attempts.`;

/**
 * Someone else has edited the integration since the event was queued, or its editor has lost a role. The receiver is not
 * to blame, so the next event follows at once.
 */
const HIDDEN = failed(
  "Not sent: it belongs to a private project that the last editor of the integration may not see.",
);

async function outcomeOf(
  context: AttemptContext,
  target: Target,
  { wire, head, isVisible }: NonNullable<ReturnType<ReturnType<typeof eventFor>["get"]>>,
  remaining: string | null,
): Promise<Outcome> {
  const { log, clock, outside } = context;
  const { id, provider } = target;
  const service = serviceNamed(provider);
  if (!service) return failed(`There is no provider ${provider}.`);
  if (!isVisible) return HIDDEN;
  const { label: _, summary, ...event } = JSON.parse(wire) as Event;
  try {
    const job = {
      integrationId: id,
      parameters: context.parameterValues(target),
      event,
      head,
      remaining: remaining === null ? undefined : JSON.parse(remaining),
      summary: summary ?? event.type,
      now: clock.now(),
    };
    return await service.deliver(job, outside);
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof DataError) return { ...failed(message), retry: {} }; // the key may be restored
    log({ level: "warn", message: `integration ${id} (${provider}), event ${event.id}: ${message}` });
    return failed(message);
  }
}

/** How many integrations' parameters are kept. */
const MAX_KEPT = 100;

/** Decrypts the parameters of targets, once until they change, which saves a fifth of each delivery's cost. */
export function createParameterValues(db: Database): AttemptContext["parameterValues"] {
  const kept = new BoundedMap<number, { stored: string; texts: Record<string, string> }>(MAX_KEPT);
  return (target) => {
    const { id, parameters: stored } = target;
    const known = kept.get(id);
    if (known?.stored === stored) return known.texts;
    const texts = textsIn(decryptedParameters(db, { ...target, parameters: JSON.parse(stored) }));
    kept.set(id, { stored, texts });
    return texts;
  };
}

/** Numbers and booleans as text, without what is not set. */
const textsIn = (parameters: Readonly<Record<string, unknown>>) => {
  const texts = Object.entries(parameters).map(([name, value]) => [name, String(value ?? "")] as const);
  return Object.fromEntries(texts.filter(([, text]) => text !== ""));
};
