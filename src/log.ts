/** One line of the log: what happened, and details by name. */
export interface LogLine {
  level: "info" | "warn" | "error";
  message: string;
  [detail: string]: unknown;
}

export type Log = (line: LogLine) => void;

export type LogFormat = "json" | "pretty";

/**
 * Writes lines as JSON objects or for a person to read. `quiet` leaves out what is no error. Secrets never come
 * here: callers log ids and names.
 */
export const createLog =
  (write: (text: string) => void, format: LogFormat, quiet: boolean): Log =>
  (line) => {
    if (quiet && line.level !== "error") return;
    const time = new Date().toISOString();
    write(format === "json" ? `${JSON.stringify({ time, ...line })}\n` : `${toPretty(time, line)}\n`);
  };

function toPretty(time: string, { level, message, ...details }: LogLine) {
  const shown = Object.entries(details).filter(([, value]) => value !== undefined);
  const tail = shown.map(
    ([name, value]) => ` ${name}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return `${time} ${level.padEnd(5)} ${message}${tail.join("")}`;
}
