import { isSqlite, MovedError } from "../db/error.ts";
import { ApiError } from "../lib/api-error.ts";
import { TooLongError } from "../lib/limits.ts";

/** Temporary failures: another process is writing, or the disk is full or failing. Reads continue. */
const TRANSIENT: ReadonlyArray<[code: string, message: string, seconds: string]> = [
  ["SQLITE_BUSY", "The data file is locked: try again", "1"],
  ["SQLITE_FULL", "The disk is full: nothing can be changed until space is freed", "60"],
  ["SQLITE_IOERR_WRITE", "The disk can't be written to: nothing can be changed until it can", "60"],
];

/** Turns any error into one for the caller: temporary ones become 503, unexpected ones a single neutral sentence. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof TooLongError)
    return new ApiError("PayloadTooLargeError", `The change is too large: ${error.message}`);
  if (error instanceof MovedError)
    return new ApiError("ServiceUnavailableError", error.message, { cause: error.cause });
  const [, message, seconds] = TRANSIENT.find(([code]) => isSqlite(error, code)) ?? [];
  if (message && seconds) {
    const headers = { "retry-after": seconds };
    return new ApiError("ServiceUnavailableError", message, { headers, cause: error });
  }
  return new ApiError("UnknownError", "Something went wrong: see the log, under this id", {
    cause: error,
  });
}
