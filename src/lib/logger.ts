import { printable } from "./text.ts";

/** From what is always logged to what is only for debugging. */
export const LOG_LEVELS = ["error", "warn", "info", "debug"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** One line of the log: what happened, and named details. */
export interface LogLine {
  level: LogLevel;
  message: string;
  [detail: string]: unknown;
}

export type Log = (line: LogLine) => void;

export type LogFormat = "json" | "pretty";

/**
 * Writes lines as JSON objects or in readable form, those at the level or more important. Secrets never get here:
 * callers log ids and names. Whatever a name contains, a line stays one line and no detail can be forged.
 */
export const createLog =
  (write: (text: string) => void, format: LogFormat, level: LogLevel): Log =>
  (line) => {
    if (LOG_LEVELS.indexOf(line.level) > LOG_LEVELS.indexOf(level)) return;
    const time = new Date().toISOString();
    const text = format === "json" ? JSON.stringify({ time, ...line }) : toPretty(time, line);
    write(`${printable(text)}\n`);
  };

function toPretty(time: string, { level, message, ...details }: LogLine) {
  const shown = Object.entries(details).filter(([, value]) => value !== undefined);
  const tail = shown.map(([name, value]) => ` ${name}=${toValue(value)}`);
  return `${time} ${level.padEnd(5)} ${/=|^"/.test(message) ? JSON.stringify(message) : message}${tail.join("")}`;
}

const toValue = (value: unknown) =>
  typeof value === "string" && /^[^\s="\\]+$/.test(value) ? value : JSON.stringify(value);
