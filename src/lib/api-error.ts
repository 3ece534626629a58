import crypto from "node:crypto";
import * as v from "valibot";
import { check, type Schema, type Violation } from "./validation.ts";

export const STATUS = {
  ValidationError: 400,
  OwaspValidationError: 400,
  PasswordUndefinedError: 400,
  PasswordPreviouslyUsedError: 400,
  ExceedsLimitError: 400,
  ArchivedFeatureError: 400,
  MinimumOneEnvironmentError: 400,
  RoleInUseError: 400,
  AuthenticationRequired: 401,
  PasswordMismatch: 401,
  SecondFactorRequired: 401,
  SecondFactorSetupRequired: 401,
  InvalidTokenError: 401,
  NoAccessError: 403,
  InvalidOperationError: 403,
  OperationDeniedError: 403,
  IncompatibleProjectError: 403,
  NotFoundError: 404,
  MethodNotAllowedError: 405,
  RequestTimeoutError: 408,
  NameExistsError: 409,
  ConflictError: 409,
  ProjectWithoutOwnerError: 409,
  PreconditionFailedError: 412,
  PayloadTooLargeError: 413,
  ContentTypeError: 415,
  ExpectationFailedError: 417,
  DisabledError: 422,
  RateLimitError: 429,
  HeadersTooLargeError: 431,
  UnknownError: 500,
  ServiceUnavailableError: 503,
} as const;

export type ErrorName = keyof typeof STATUS;

const Detail = v.strictObject({
  message: v.string(),
  path: v.optional(v.string()),
  /** The rules that a password breaks, in the exact sentences that the original's page matches. */
  validationErrors: v.optional(v.array(v.string())),
});

/** What the original's page renders its sign-in form from (original). */
const SIGN_IN = { path: "/auth/simple/login", type: "password" } as const;

/** Another way to sign in: a link with this label. */
const SignInOption = v.strictObject({ type: v.string(), message: v.string(), path: v.string() });

/** Ways in, as a 401 tells them. */
interface WaysIn {
  /** Whether passwords are switched off. */
  defaultHidden?: boolean;
  options?: ErrorBody["options"];
}

/** The body of every error; a 401 also says where to sign in. */
export const ErrorBody = v.strictObject({
  id: v.pipe(v.string(), v.uuid()),
  name: v.picklist(Object.keys(STATUS) as ErrorName[]),
  message: v.pipe(v.string(), v.nonEmpty()),
  details: v.pipe(v.array(Detail), v.minLength(1)),
  path: v.optional(v.string()),
  type: v.optional(v.literal(SIGN_IN.type)),
  defaultHidden: v.optional(v.boolean()),
  options: v.optional(v.array(SignInOption)),
});
export type ErrorBody = v.InferOutput<typeof ErrorBody>;

/** An error meant for the caller: its name determines the status, its message is for people. */
export class ApiError extends Error {
  readonly id = crypto.randomUUID();
  override readonly name: ErrorName;
  readonly details: ErrorBody["details"];
  readonly headers: Record<string, string>;
  readonly isLogged: boolean;

  constructor(name: ErrorName, message: string, options: ErrorOptions = {}) {
    const { details, headers = {}, isLogged = true, cause } = options;
    super(message, { cause });
    this.name = name;
    this.isLogged = isLogged;
    this.details = details ?? [{ message }];
    this.headers = headers;
  }

  get status() {
    return STATUS[this.name];
  }

  /** @param basePath prefixes the sign-in path */
  toBody(basePath = "", { defaultHidden = false, options }: WaysIn = {}): ErrorBody {
    const { id, name, message, details } = this;
    if (name !== "AuthenticationRequired") return { id, name, message, details };
    return {
      id,
      name,
      message,
      details,
      ...SIGN_IN,
      path: basePath + SIGN_IN.path,
      defaultHidden,
      ...(options && { options }),
    };
  }
}

interface ErrorOptions {
  details?: ErrorBody["details"];
  headers?: Record<string, string>;
  /** False if it has already been logged and would only fill the log. */
  isLogged?: boolean;
  cause?: unknown;
}

/** A malformed request; the message is the first violation, the details are all of them. */
export const invalid = (...details: [Violation, ...Violation[]]) =>
  new ApiError("ValidationError", `${details[0].path}: ${details[0].message}`, { details });

/** The thing that was looked up. @throws ApiError `NotFoundError` if there is none; `what` names it */
export function found<T>(thing: T | undefined, what: string): T {
  if (thing !== undefined) return thing;
  throw new ApiError("NotFoundError", `There is no ${what}`);
}

/**
 * The input, validated against the schema.
 * @param where prefixes the path of each violation
 * @throws ApiError `ValidationError` with every violation
 */
export function requireValid<S extends Schema>(schema: S, input: unknown, where: string): v.InferOutput<S> {
  const result = check(schema, input, where);
  if (result.violations) throw invalid(...result.violations);
  return result.value;
}
