import { type Actor, ANYBODY } from "../access/actor.ts";
import {
  authenticate,
  authenticateAnybody,
  authenticateSdk,
  type Credentials,
} from "../access/authenticate.ts";
import type { Database } from "../db/database.ts";
import { METHODS, type Operation } from "../http/operation.ts";
import { isBelow } from "../http/path.ts";
import type { Schema } from "../lib/validation.ts";
import * as operations from "./operations.ts";

const exported: ReadonlyArray<[name: string, value: unknown]> = Object.entries(operations);

/** Every operation served, with its contract as a type. */
export type ServedOperation = Extract<(typeof operations)[keyof typeof operations], Operation>;

const position = ({ path, method }: Operation) => `${path} ${METHODS.indexOf(method)}`;

const isOperation = (value: unknown): value is Operation => "handle" in Object(value);

/** Every operation served, ordered by path. */
export const OPERATIONS: readonly Operation[] = exported
  .map(([, value]) => value)
  .filter(isOperation)
  .sort((one, other) => (position(one) < position(other) ? -1 : 1));

/** The shapes on the wire, by name. */
export const SCHEMAS = Object.fromEntries(exported.filter(([, value]) => "kind" in Object(value))) as Record<
  string,
  Schema
>;

/** Who may access which paths. */
interface Access {
  /** The prefix of its operations' paths; any request below it requires the credential. */
  prefix: `/${string}`;
  /** Identifies the caller. @throws ApiError `AuthenticationRequired` */
  authenticate(db: Database, credentials: Credentials): Actor;
  /** No credential is required. */
  isOpen?: true;
  /** Pages of other sites may call it, if the configured origins allow it. */
  isForPages?: true;
  /** The query parameter `key` is accepted as a credential. */
  takesKey?: true;
}

/** A path belongs to the first prefix that it is below. */
const ACCESS: readonly Access[] = [
  { prefix: "/api/admin", authenticate },
  { prefix: "/api/client", authenticate: authenticateSdk("client") },
  { prefix: "/api/frontend", authenticate: authenticateSdk("frontend"), isForPages: true },
  {
    prefix: "/ofrep/v1/stream",
    authenticate: authenticateSdk("frontend", "client"),
    isForPages: true,
    takesKey: true,
  },
  { prefix: "/ofrep", authenticate: authenticateSdk("frontend", "client"), isForPages: true },
  { prefix: "/edge/metrics", authenticate: authenticateSdk("client") },
  { prefix: "/edge", authenticate: authenticateAnybody, isOpen: true },
  { prefix: "/invite", authenticate: () => ANYBODY, isOpen: true },
  { prefix: "/auth", authenticate: () => ANYBODY, isOpen: true },
];

const operationsBelow = Map.groupBy(OPERATIONS, ({ path }) =>
  ACCESS.find(({ prefix }) => isBelow(prefix, path)),
);

export interface Surface extends Access {
  operations: readonly Operation[];
}

export const SURFACES: readonly Surface[] = ACCESS.map((access) => ({
  ...access,
  operations: operationsBelow.get(access) ?? [],
}));

/** Those that need no credential. */
export const OPEN_OPERATIONS: ReadonlySet<Operation> = new Set(
  SURFACES.filter(({ isOpen }) => isOpen).flatMap(({ operations }) => operations),
);
