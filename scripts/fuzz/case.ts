import type { Caller } from "./dataset.ts";

/** Something to send on one connection, and how. */
export interface Case {
  title: string;
  as: Caller;
  /** Sent one after the other, with pauses. */
  pieces: Buffer[];
  /** How often all pieces are sent, pipelined. */
  times: number;
  /** Resets the connection after sending, without waiting for a response. */
  hangsUp: boolean;
  /** How many responses must arrive; undefined if the server may still be waiting for input. */
  answers: number | undefined;
}

/** A failed check. */
export class Finding extends Error {}

const SHOWN = 1500;

/** Bytes as a string literal, truncated in the middle if long. */
export function escaped(bytes: Buffer): string {
  const text = JSON.stringify(bytes.toString("latin1"));
  if (text.length <= SHOWN) return text;
  return `${text.slice(0, SHOWN / 2)} … ${bytes.length} bytes in total … ${text.slice(-SHOWN / 2)}`;
}

/** Describes a case so that it can be sent again. */
export const describe = ({ title, as, pieces, times, hangsUp }: Case) =>
  [
    `${title}, as ${as}${times > 1 ? `, ${times} times` : ""}${hangsUp ? ", then hangs up" : ""}`,
    ...pieces.map((piece) => `  ${escaped(piece)}`),
  ].join("\n");
