import * as v from "valibot";
import { useRightsOf } from "../access/visibility.ts";
import type { Database } from "../db/database.ts";
import { DataError, isSqlite } from "../db/error.ts";
import { useKeysOf } from "../db/secrets.ts";
import { type Point, pointAt, stateAtInTurns } from "../db/state-at.ts";
import { ApiError, invalid } from "../lib/api-error.ts";
import { nextTurn } from "../lib/background.ts";
import { UsageError } from "../lib/usage-error.ts";
import { checkedQuery } from "./checked-input.ts";
import { tooMany } from "./few-at-once.ts";
import type { Operation } from "./operation.ts";
import { isBelow } from "./path.ts";

/*
 * What was: any read of the admin API may ask for a time with `?at=`, and is answered by the database as it was then, by
 * the rights of today.
 */

/** The header with the time that a response shows, if it is not now. */
export const AT_HEADER = "flagstone-at";

/** How long the last state is kept after it was used, in milliseconds. */
const KEPT_MS = 5 * 60_000;

/** How many requests wait for a state. */
const MAX_WAITING = 50;

/** A database as it was. It is closed once nobody uses it. */
interface State {
  key: string;
  db: Database;
  users: number;
}

export class Past {
  readonly #db: Database;
  /** The time of all requests that ask for none, if it is not now. */
  readonly #always: string | undefined;
  /** The state that was used last. */
  #last: State | undefined;
  #waiting = 0;
  #turn: Promise<unknown> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(db: Database, always?: string) {
    this.#db = db;
    this.#always = always;
  }

  /**
   * The point that a request asks for; undefined for now.
   * @throws ApiError `ValidationError` for a time that can't be shown, `NoAccessError` for a change
   */
  pointOf(operation: Operation, url: URL): Point | undefined {
    const at = (takesTime(operation) && askedFor(url)) || this.#always;
    if (at === undefined) return undefined;
    const point = requirePoint(this.#db, at);
    if (operation.changes && !isBelow("/auth/simple", operation.path)) throw unchangeable(point);
    return point;
  }

  /** The state at a point, until it is released. One is made at a time. @throws ApiError if too many are waiting */
  use(point: Point): Promise<State> {
    if (this.#waiting >= MAX_WAITING) throw tooMany();
    this.#waiting++;
    const used = this.#turn.then(() => this.#take(point)).finally(() => this.#waiting--);
    this.#turn = used.catch(() => {});
    return used;
  }

  async #take(point: Point): Promise<State> {
    const key = JSON.stringify(point);
    const state = this.#last?.key === key ? this.#last : { key, db: await this.#make(point), users: 0 };
    state.users++;
    this.#keep(state);
    return state;
  }

  async #make(point: Point): Promise<Database> {
    const db = await stateAtInTurns(this.#db, point, nextTurn);
    useRightsOf(db, this.#db);
    useKeysOf(db, this.#db);
    return db;
  }

  /** Keeps this state, and the former one no longer. */
  #keep(state: State | undefined) {
    if (this.#last !== state) {
      if (state) state.users++;
      if (this.#last) this.release(this.#last);
    }
    this.#last = state;
    clearTimeout(this.#timer);
    if (state) this.#timer = setTimeout(() => this.#keep(undefined), KEPT_MS).unref();
  }

  release(state: State) {
    if (--state.users === 0) state.db.close();
  }
}

/** @throws ApiError `ValidationError` for a time that is not known */
function requirePoint(db: Database, at: string): Point {
  try {
    return pointAt(db, at);
  } catch (error) {
    const isUnknown = error instanceof DataError || error instanceof UsageError;
    throw isUnknown ? invalid({ path: "query.at", message: error.message }) : error;
  }
}

const unchangeable = ({ at }: Point) =>
  new ApiError("NoAccessError", `This is as of ${at}: nothing can be changed`, { isLogged: false });

/** What a read that tries a change meets. */
export const fromState = (error: unknown, point: Point) =>
  isSqlite(error, "SQLITE_READONLY") ? unchangeable(point) : error;

const AtQuery = { query: v.object({ at: v.optional(v.string()) }) };

const askedFor = (url: URL) =>
  url.search === "" ? undefined : (checkedQuery(AtQuery as never, url) as { at?: string }).at;

/** Who the caller is, what is theirs, and what can be undone, is always as it is today. */
const OF_TODAY = [
  "/api/admin/user",
  "/auth",
  "/invite",
  "/api/admin/events/:id/undo",
  "/api/admin/undo-since",
];

export const isOfToday = ({ path }: Operation) => OF_TODAY.some((prefix) => isBelow(prefix, path));

/** Whether requests may ask for a time; applications can't, nor does a stream show what is over. */
export const takesTime = (operation: Operation) =>
  isBelow("/api/admin", operation.path) && !isOfToday(operation) && !operation.isStream;
