import type { Caller } from "./dataset.ts";

/** Something to send on one connection, and how. */
export interface Case {
  /** What is asked for, or which trick is tried. */
  title: string;
  as: Caller;
  /** Sent one after the other, with a pause between. */
  pieces: Buffer[];
  /** How often the whole is sent without waiting for an answer. */
  times: number;
  /** Resets the connection once all is sent, without waiting for an answer. */
  hangsUp: boolean;
  /** So many answers have to come; undefined where the server may as well wait for more. */
  answers: number | undefined;
}

/** What a check says that does not hold. */
export class Finding extends Error {}

const SHOWN = 1500;

/** Bytes as they could stand in a program; long ones cut in the middle. */
export function escaped(bytes: Buffer): string {
  const text = JSON.stringify(bytes.toString("latin1"));
  if (text.length <= SHOWN) return text;
  return `${text.slice(0, SHOWN / 2)} … ${bytes.length} bytes in all … ${text.slice(-SHOWN / 2)}`;
}

/** A case for a person who wants to send it again. */
export const describe = ({ title, as, pieces, times, hangsUp }: Case) =>
  [
    `${title}, as ${as}${times > 1 ? `, ${times} times` : ""}${hangsUp ? ", then hangs up" : ""}`,
    ...pieces.map((piece) => `  ${escaped(piece)}`),
  ].join("\n");
