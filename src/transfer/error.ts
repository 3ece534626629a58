import { printable } from "../printable.ts";

/** Why a line does not fit what stands above it. */
export class LineError extends Error {}

/** Of a reason, which may hold what the line holds. */
const LONGEST_REASON = 500;

/** A dataset that can't be imported: the message names the line and the first reason, fit for a terminal. */
export class DatasetError extends Error {
  readonly line: number;
  /** All that is wrong with the line. */
  readonly reasons: readonly string[];

  constructor(line: number, ...reasons: [string, ...string[]]) {
    const shown = reasons.map(toShown) as [string, ...string[]];
    super(`line ${line}: ${shown[0]}`);
    this.line = line;
    this.reasons = shown;
  }
}

/** A reason or a warning for a terminal. */
export const toShown = (reason: string) =>
  printable(reason.length > LONGEST_REASON ? `${reason.slice(0, LONGEST_REASON)}…` : reason);
