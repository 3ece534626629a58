import { printable } from "../printable.ts";

/** Why a line does not fit what stands above it. */
export class LineError extends Error {}

/** Of a reason, which may hold what the line holds. */
const LONGEST_REASON = 500;

/** A dataset that can't be imported: the message names the line and the reason, fit for a terminal. */
export class DatasetError extends Error {
  constructor(line: number, reason: string) {
    const shown = reason.length > LONGEST_REASON ? `${reason.slice(0, LONGEST_REASON)}…` : reason;
    super(`line ${line}: ${printable(shown)}`);
  }
}
