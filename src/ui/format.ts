/*
 * Numbers and times in words.
 */

const UNITS = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** How long ago a time is, or how soon: "3 hours ago". */
export function ago(time: string, now = Date.now()): string {
  const seconds = (Date.parse(time) - now) / 1000;
  for (const [unit, length] of UNITS)
    if (Math.abs(seconds) >= length) return relative.format(Math.round(seconds / length), unit);
  return "just now";
}

/** A time whole, where the reader is. */
export const fullTime = (time: string) =>
  new Date(time).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium" });

export const count = (number: number) => number.toLocaleString("en");

/** "1 flag", "2 flags". */
export const counted = (number: number, noun: string, plural = `${noun}s`) =>
  `${count(number)} ${number === 1 ? noun : plural}`;

/** "a, b and c". */
export const listed = (words: readonly string[], last = "and") =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;

/** What somebody is called; what is unset may be empty too. */
export const nameOf = ({ name, username, email, id }: Named): string =>
  name || username || email || `user ${id}`;

interface Named {
  id: number;
  name: string | null;
  username: string | null;
  email?: string | undefined;
}

const DAY_MS = 86_400_000;

/** So many days from now, where the reader is, as a field for times has it. */
export function inDays(days: number): string {
  const time = new Date(Date.now() + days * DAY_MS);
  return new Date(time.valueOf() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
