/*
 * Numbers, times and names as text.
 */

const UNITS = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** A time relative to now: "3 hours ago", "in 2 days". */
export function ago(time: string): string {
  const seconds = (Date.parse(time) - Date.now()) / 1000;
  for (const [unit, length] of UNITS)
    if (Math.abs(seconds) >= length) return relative.format(Math.round(seconds / length), unit);
  return "just now";
}

/** Date and time in the reader's time zone. */
export const fullTime = (time: string) =>
  new Date(time).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium" });

/** "Today", "Yesterday", "12 March 2026", in the reader's time zone. */
export function day(time: string): string {
  const date = new Date(time);
  const days = [0, 1].map((ago) => new Date(Date.now() - ago * 86_400_000).toDateString());
  return (
    ["Today", "Yesterday"][days.indexOf(date.toDateString())] ??
    date.toLocaleDateString("en-GB", { dateStyle: "long" })
  );
}

/** The hour that begins at a time in the reader's time zone, in full and short: "23 Nov 2026, 14:00", "Mon 14:00". */
export const hourOf = (time: string) => ({
  when: new Date(time).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" }),
  tick: new Date(time).toLocaleString("en-GB", { weekday: "short", hour: "2-digit", minute: "2-digit" }),
});

/** Whole days of the calendar, in full and short: "12 Mar 2026 to 18 Mar 2026", "12 Mar". */
export const daysOf = ({ from, to }: Record<"from" | "to", string>) => ({
  when: [...new Set([from, to])].map((date) => dateOf(date, { dateStyle: "medium" })).join(" to "),
  tick: dateOf(from, { day: "numeric", month: "short" }),
});

/** A date stands for the same day in every time zone. */
const dateOf = (date: string, style: Intl.DateTimeFormatOptions) =>
  new Date(date).toLocaleDateString("en-GB", { ...style, timeZone: "UTC" });

export const count = (number: number) => number.toLocaleString("en");

/** "1 flag", "2 flags". */
export const counted = (number: number, noun: string) => `${count(number)} ${noun}${number === 1 ? "" : "s"}`;

export const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** "a, b and c". */
export const listed = (words: readonly string[], conjunction = "and") =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${conjunction} ${words.at(-1)}`;

/** A user's display name; unset names are null or empty. */
export const nameOf = ({ name, username, email, id }: Named): string =>
  name || username || email || `user ${id}`;

interface Named {
  id: number;
  name: string | null;
  username: string | null;
  email?: string | null | undefined;
}

/** The local time so many days from now, as the value of a `datetime-local` field. */
export const inDays = (days: number) => toLocal(new Date(Date.now() + days * 86_400_000));

/** A time as the value of a `datetime-local` field, in the reader's time zone; empty for none. */
export function toLocal(time: Date): string {
  const isTime = !Number.isNaN(time.valueOf());
  const local = new Date(time.valueOf() - time.getTimezoneOffset() * 60_000);
  return isTime ? local.toISOString().slice(0, 16) : "";
}

/** The display name of a user or a token, as far as it has one. */
export const nameOfUser = (user: { name?: string | null; username?: string | null }): string =>
  user.name || user.username || "";
