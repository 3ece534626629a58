import { batch, computed, type Signal, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import {
  addressOf,
  type ChangeKey,
  type Given,
  type Output,
  type ReadKey,
  RequestError,
  request,
} from "./api.ts";

/** What is known of an answer: the last one stays while a newer one is on its way. */
export interface Read<T> {
  data: T | undefined;
  error: RequestError | undefined;
  /** It is asked for, and nothing is there yet. */
  isLoading: boolean;
}

interface Entry {
  state: Signal<Read<unknown>>;
  /** How many parts of the page show it. */
  users: number;
  load(): Promise<void>;
}

/** What the page shows, by address; what it has shown is forgotten. */
const entries = new Map<string, Entry>();

/** How many of them have no answer yet. */
const awaited = signal(0);

/** Whether some of what is to be shown is not there yet. */
export const isBusy = computed(() => awaited.value > 0);

/** An answer, asked for once however many show it, and again whenever something has changed. */
export function useRead<K extends ReadKey>(key: K, ...given: Given<K>): Read<Output<K>> {
  const address = addressOf(key, given[0]);
  const entry = entries.get(address) ?? open(address, () => request(key, ...given));
  const last = useRef<unknown>(undefined);
  useEffect(() => {
    entries.set(address, entry);
    entry.users++;
    return () => {
      entry.users--;
      if (entry.users === 0) entries.delete(address);
    };
  }, [address]);
  const { data, error, isLoading } = entry.state.value;
  if (data !== undefined) last.current = data;
  return { data: (data ?? (error ? undefined : last.current)) as Output<K> | undefined, error, isLoading };
}

/** The same with a part of what was answered, or what is made of it. */
export const mapRead = <T, U>({ data, ...read }: Read<T>, make: (data: T) => U): Read<U> => ({
  ...read,
  data: data === undefined ? undefined : make(data),
});

function open(address: string, ask: () => Promise<unknown>): Entry {
  const state = signal<Read<unknown>>({ data: undefined, error: undefined, isLoading: true });
  let newest = 0;
  awaited.value = awaited.peek() + 1;
  const settle = (settled: Partial<Read<unknown>>) =>
    batch(() => {
      if (state.value.isLoading) awaited.value--;
      state.value = { ...state.value, error: undefined, ...settled, isLoading: false };
    });
  const load = async () => {
    const own = ++newest;
    const settleOwn = (settled: Partial<Read<unknown>>) => own === newest && settle(settled);
    await ask().then(
      (data) => settleOwn({ data }),
      (error) => settleOwn(toFailure(error)),
    );
  };
  const entry = { state, users: 0, load };
  entries.set(address, entry);
  void load();
  return entry;
}

/** What was shown stays when the server can't be reached, but not when it says no. */
const toFailure = (error: unknown): Partial<Read<unknown>> => {
  const known = error instanceof RequestError ? error : new RequestError(0, String(error));
  return known.status === 0 ? { error: known } : { error: known, data: undefined };
};

/** Asks again for all that is shown; what has not changed is a 304. */
export const refresh = () => askAgain([...entries.values()]);

/** The same, but for what was refused. */
export const refreshAnswered = () =>
  askAgain([...entries.values()].filter(({ state }) => state.peek().error === undefined));

const askAgain = (asked: readonly Entry[]) => Promise.all(asked.map(({ load }) => load()));

/** How often it was said that somebody may not do something, which they could when they came. */
export const refusals = signal(0);

/** Changes something, and asks again for all that is shown. @throws RequestError */
export async function change<K extends ChangeKey>(key: K, ...given: Given<K>): Promise<Output<K>> {
  try {
    return await request(key, ...given);
  } catch (error) {
    if (error instanceof RequestError && error.status === 403) refusals.value++;
    throw error;
  } finally {
    void refresh(); // what was refused may be as it is because something else has changed
  }
}
