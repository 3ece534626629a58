import { batch, computed, effect, type Signal, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import {
  type Args,
  addressOf,
  type ChangeKey,
  isLost,
  type Output,
  type ReadKey,
  RequestError,
  request,
  token,
} from "./api.ts";
import { proposed, type Sent } from "./proposals.ts";

/** The state of a read; the last data stays while newer data loads. */
export interface Read<T> {
  data: T | undefined;
  error: RequestError | undefined;
}

interface Entry {
  state: Signal<Read<unknown>>;
  /** How many components use it. */
  users: number;
  load(): Promise<void>;
}

/** The reads in use, by address; a read that is no longer used is dropped. */
const entries = new Map<string, Entry>();

/** How many reads have had no response yet, and parts of the page have not been loaded. */
const pending = signal(0);

/** Whether any read is waiting for its first response, or a part of the page for its file. */
export const isBusy = computed(() => pending.value > 0);

/** Is busy until a file is loaded. */
export async function whileBusy<T>(loading: Promise<T>): Promise<T> {
  pending.value = pending.peek() + 1;
  return await loading.finally(() => pending.value--);
}

/** Whether the first view has all it needs: only then is anything else fetched. */
export const isSettled = signal(false);

/** A read, fetched once however many components use it, and refetched whenever something has changed. */
export function useRead<K extends ReadKey>(key: K, ...args: Args<K>): Read<Output<K>> {
  const address = addressOf(key, args[0]);
  const entry = entries.get(address) ?? open(address, () => request(key, ...args));
  useEffect(() => {
    entries.set(address, entry);
    entry.users++;
    return () => {
      entry.users--;
      if (entry.users === 0 && entries.get(address) === entry) entries.delete(address);
    };
  }, [address]);
  const { data, error } = entry.state.value as Read<Output<K>>;
  const last = useLast(data);
  return { data: error ? data : last, error };
}

/** The value, or the last one there was while it is undefined. */
export function useLast<T>(value: T | undefined): T | undefined {
  const last = useRef(value);
  if (value !== undefined) last.current = value;
  return last.current;
}

function open(address: string, send: () => Promise<unknown>): Entry {
  const state = signal<Read<unknown>>({ data: undefined, error: undefined });
  let newest = 0;
  pending.value = pending.peek() + 1;
  const settle = (settled: Partial<Read<unknown>>) =>
    batch(() => {
      const { data, error } = state.value;
      if (data === undefined && error === undefined) pending.value--;
      state.value = { data, error: undefined, ...settled };
    });
  const load = async () => {
    const current = ++newest;
    const settleIfNewest = (settled: Partial<Read<unknown>>) => current === newest && settle(settled);
    await send().then(
      (data = null) => settleIfNewest({ data }), // some say all by their status
      (error) => settleIfNewest(toFailure(error)),
    );
  };
  const entry = { state, users: 0, load };
  entries.set(address, entry);
  void load();
  return entry;
}

/** Data stays on screen when the server can't be reached, but not when it refuses the request. */
const toFailure = (error: unknown): Partial<Read<unknown>> => {
  const failure = error instanceof RequestError ? error : new RequestError(0, String(error));
  return failure.status === 0 ? { error: failure } : { error: failure, data: undefined };
};

/** Forgets all responses; whatever still shows them has to be left. */
export const forgetReads = () => entries.clear();

/** How many changes are in progress; each refetches everything when it is done. */
let changing = 0;

/** Refetches everything on screen; unchanged responses are 304s. */
export async function refresh() {
  if (changing === 0) await refetch([...entries.values()]);
}

/** The same, except for reads that failed. */
const refreshAnswered = () =>
  refetch([...entries.values()].filter(({ state }) => state.peek().error === undefined));

const refetch = (stale: readonly Entry[]) => Promise.all(stale.map(({ load }) => load()));

/** Counts changes refused with a 403: the user's permissions may have changed since they were read. */
export const refusals = signal(0);

/** The first event of the newest change made here. */
export const recorded = signal<number | undefined>(undefined);

const onRecorded = (event: number) => {
  recorded.value = event;
};

/** Makes a change, or proposes it where others must approve it, then refetches everything on screen. @throws RequestError */
export async function change<K extends ChangeKey>(key: K, ...args: Args<K>): Promise<Output<K>> {
  changing++;
  try {
    if (await proposed(key, args[0] as Sent | undefined)) return undefined as never; // what follows from it is for others to decide
    return await request(key, ...([{ ...args[0], onRecorded }] as unknown as Args<K>));
  } catch (error) {
    if (error instanceof RequestError && error.status === 403) refusals.value++;
    throw error;
  } finally {
    changing--;
    // Even if refused: the reason may be something that has changed since. Later, so that a view whose subject was
    // deleted is left first.
    setTimeout(refresh);
  }
}

/** The shortest time between two refreshes, however many events arrive. */
const MIN_INTERVAL_MS = 500;

/** When a refused stream is reopened: browsers reconnect by themselves only if an open one breaks off. */
const REOPEN_MS = 5000;

/**
 * Follows the event stream, and refetches what is on screen when others change something; also when the stream ends,
 * which shows whether the session has ended or the server is gone. A hidden window closes its stream, since browsers
 * allow only a few connections per server.
 * @returns a function that stops it
 */
export function followEvents(): () => void {
  if (token.value !== undefined) return refreshEvery(REOPEN_MS); // an EventSource can't send a token, only cookies
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let last = 0;
  const refetch = () => {
    timer = undefined;
    last = performance.now();
    void refresh();
  };
  const schedule = () => {
    timer ??= setTimeout(refetch, Math.max(0, last + MIN_INTERVAL_MS - performance.now()));
  };
  /** Events may have been missed before it opened. The first time that is only a moment, so failed reads aren't retried. */
  const catchUp = () => {
    if (last > 0) return schedule();
    last = performance.now();
    void refreshAnswered();
  };
  const disconnect = () => {
    clearTimeout(retry);
    source?.close();
    source = undefined;
  };
  const connect = () => {
    disconnect();
    if (document.hidden) return;
    source = new EventSource(new URL(addressOf("GET /api/admin/events/stream"), document.baseURI));
    source.onmessage = schedule;
    source.onopen = catchUp;
    source.onerror = () => {
      schedule();
      if (source?.readyState === EventSource.CLOSED) retry = setTimeout(connect, REOPEN_MS);
    };
  };
  connect();
  document.addEventListener("visibilitychange", connect);
  return () => {
    document.removeEventListener("visibilitychange", connect);
    clearTimeout(timer);
    disconnect();
  };
}

/** Refetches what is on screen at intervals, for what no stream reports. @returns a function that stops it */
export function refreshEvery(ms: number): () => void {
  const timer = setInterval(() => document.hidden || void refresh(), ms);
  return () => clearInterval(timer);
}

const RETRY_MS = 2000;

/** Polls a server that can't be reached, and calls `onBack` when it responds again. */
export function watchConnection(onBack: () => void) {
  effect(() => {
    if (!isLost.value) return;
    const timer = setInterval(async () => {
      const response = await fetch(new URL("health", document.baseURI)).catch(() => undefined);
      if (!response?.ok) return;
      isLost.value = false;
      onBack();
    }, RETRY_MS);
    return () => clearInterval(timer);
  });
}
