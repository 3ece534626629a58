import { printable } from "../lib/printable.ts";

/** Why a line is inconsistent with the lines above it. */
export class LineError extends Error {}

/** For a reason, which may quote the line. */
const MAX_REASON_LENGTH = 500;

/** A dataset that can't be imported: the message gives the line and the first reason, safe for a terminal. */
export class DatasetError extends Error {
  readonly line: number;
  /** Everything wrong with the line. */
  readonly reasons: readonly string[];

  constructor(line: number, ...reasons: [string, ...string[]]) {
    const shown = reasons.map(toPrintable) as [string, ...string[]];
    super(`line ${line}: ${shown[0]}`);
    this.line = line;
    this.reasons = shown;
  }
}

/** The same for a line whose subject is already in the file, or on an earlier line. */
export class DuplicateError extends DatasetError {}

/** A reason or a warning, made safe for a terminal. */
export const toPrintable = (reason: string) =>
  printable(reason.length > MAX_REASON_LENGTH ? `${reason.slice(0, MAX_REASON_LENGTH)}…` : reason);
