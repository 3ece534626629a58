/** Why a line does not fit what stands above it. */
export class LineError extends Error {}

/** A dataset that can't be imported: the message names the line and the reason. */
export class DatasetError extends Error {
  constructor(line: number, reason: string) {
    super(`line ${line}: ${reason}`);
  }
}
