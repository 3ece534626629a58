import { DataError } from "../../db/error.ts";
import type { Database } from "../../db/statement.ts";
import type { Log } from "../../lib/logger.ts";
import { timestamp } from "../../lib/timestamp.ts";
import type { Attempt } from "../changes-deliveries.ts";
import { eventWire, mayReceive, type Target } from "../delivery-store.ts";
import type { IntegrationEvent } from "../schema.ts";
import { decryptedParameters, type Parameters } from "../secrets.ts";
import { delayMs, MAX_ATTEMPTS } from "./backoff.ts";
import type { Clock } from "./clock.ts";
import type { Place } from "./pace.ts";
import { failed, type Outcome, type Outside } from "./provider.ts";
import { DELIVER } from "./providers.ts";

export interface AttemptContext {
  db: Database;
  log: Log;
  clock: Clock;
  outside: Outside;
  /** @param failures the integration's number of consecutive failures: failing receivers don't hold up others */
  takePlace(failures: number): Promise<Place>;
  /** Decrypted parameters by integration, with the stored form they came from. */
  decrypted: Map<number, { stored: string; parameters: Parameters }>;
}

interface AttemptOptions {
  eventId: number;
  /** The number of earlier attempts. */
  attempts: number;
  /** See Delivery. */
  remaining?: string | null;
  /** The integration's number of consecutive failures. */
  failures: number;
  place: Place;
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
  { eventId, attempts, remaining = null, failures, place, isTest = false }: AttemptOptions,
): Promise<Attempt | undefined> {
  const { db, clock } = context;
  const wire = eventWire(db, eventId);
  if (wire === undefined) return undefined;
  place.add(wire.length);
  const begin = performance.now();
  const outcome = await outcomeOf(
    { ...context, outside: counted(context.outside, place) },
    target,
    JSON.parse(wire),
    remaining,
  );
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

/** Counts what is sent. */
const counted = (outside: Outside, place: Place): Outside => ({
  ...outside,
  post: (url, message, now) => {
    place.add(Buffer.byteLength(message.body));
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
  { label: _, summary, ...event }: IntegrationEvent["event"],
  remaining: string | null,
): Promise<Outcome> {
  const { log, clock, outside } = context;
  const { id, provider } = target;
  const deliver = DELIVER.get(provider);
  if (!deliver) return failed(`There is no provider ${provider}.`);
  if (!mayReceive(context.db, id, event.id)) return HIDDEN;
  try {
    const parameters = parametersOf(context, target);
    const job = {
      integrationId: id,
      parameters,
      event,
      remaining: remaining === null ? undefined : JSON.parse(remaining),
      summary: summary ?? event.type,
      now: clock.now(),
    };
    return await deliver(job, outside);
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof DataError) return { ...failed(message), retry: {} }; // the key may be restored
    log({ level: "warn", message: `integration ${id} (${provider}), event ${event.id}: ${message}` });
    return failed(message);
  }
}

/** Cached, since decrypting would take longer than sending. */
function parametersOf({ db, decrypted }: AttemptContext, target: Target): Parameters {
  const { id, parameters: stored } = target;
  const known = decrypted.get(id);
  if (known?.stored === stored) return known.parameters;
  const parameters = decryptedParameters(db, target, JSON.parse(stored));
  decrypted.set(id, { stored, parameters });
  return parameters;
}
