import { printable } from "../printable.ts";

/** Why a line is inconsistent with the lines above it. */
export class LineError extends Error {}

/** For a reason, which may quote the line. */
const LONGEST_REASON = 500;

/** A dataset that can't be imported: the message gives the line and the first reason, safe for a terminal. */
export class DatasetError extends Error {
  readonly line: number;
  /** Everything wrong with the line. */
  readonly reasons: readonly string[];

  constructor(line: number, ...reasons: [string, ...string[]]) {
    const shown = reasons.map(toShown) as [string, ...string[]];
    super(`line ${line}: ${shown[0]}`);
    this.line = line;
    this.reasons = shown;
  }
}

/** A reason or a warning, made safe for a terminal. */
export const toShown = (reason: string) =>
  printable(reason.length > LONGEST_REASON ? `${reason.slice(0, LONGEST_REASON)}…` : reason);
