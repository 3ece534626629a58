import { batch, computed, type Signal, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import {
  type Args,
  addressOf,
  type ChangeKey,
  type Output,
  type ReadKey,
  RequestError,
  request,
} from "./api.ts";
import { useLast } from "./last.ts";

/** The state of a read; the last data stays while newer data loads. */
export interface Read<T> {
  data: T | undefined;
  error: RequestError | undefined;
  /** No response has arrived yet. */
  isLoading: boolean;
}

interface Entry {
  state: Signal<Read<unknown>>;
  /** How many components use it. */
  users: number;
  load(): Promise<void>;
}

/** The reads in use, by address; a read that is no longer used is dropped. */
const entries = new Map<string, Entry>();

/** How many reads have had no response yet. */
const pending = signal(0);

/** Whether any read is waiting for its first response. */
export const isBusy = computed(() => pending.value > 0);

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
  const { data, error, isLoading } = entry.state.value as Read<Output<K>>;
  const last = useLast(data);
  return { data: error ? data : last, error, isLoading };
}

/** The same read with its data mapped. */
export const mapRead = <T, U>({ data, ...read }: Read<T>, map: (data: T) => U): Read<U> => ({
  ...read,
  data: data === undefined ? undefined : map(data),
});

function open(address: string, send: () => Promise<unknown>): Entry {
  const state = signal<Read<unknown>>({ data: undefined, error: undefined, isLoading: true });
  let newest = 0;
  pending.value = pending.peek() + 1;
  const settle = (settled: Partial<Read<unknown>>) =>
    batch(() => {
      if (state.value.isLoading) pending.value--;
      state.value = { ...state.value, error: undefined, ...settled, isLoading: false };
    });
  const load = async () => {
    const current = ++newest;
    const settleIfNewest = (settled: Partial<Read<unknown>>) => current === newest && settle(settled);
    await send().then(
      (data) => settleIfNewest({ data }),
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
export const refreshAnswered = () =>
  refetch([...entries.values()].filter(({ state }) => state.peek().error === undefined));

const refetch = (stale: readonly Entry[]) => Promise.all(stale.map(({ load }) => load()));

/** Counts changes refused with a 403: the user's permissions may have changed since they were read. */
export const refusals = signal(0);

/** Makes a change, then refetches everything on screen. @throws RequestError */
export async function change<K extends ChangeKey>(key: K, ...args: Args<K>): Promise<Output<K>> {
  changing++;
  try {
    return await request(key, ...args);
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
