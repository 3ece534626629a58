import Negotiator from "negotiator";

/** Whether the client asks for a table rather than JSON. */
export const prefersCsv = (headers: Headers) =>
  new Negotiator({ headers: { accept: headers.get("accept") ?? undefined } }).mediaType([
    "application/json",
    "text/csv",
  ]) === "text/csv";

/**
 * Rows with identical keys as comma-separated values (RFC 4180), with a header row. Objects are written as JSON; text
 * that a spreadsheet would take for a formula is marked as text.
 */
export function toCsv(rows: readonly object[]): string {
  const lines = [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))];
  return lines.map((line) => `${line.map(toCell).join(",")}\r\n`).join("");
}

function toCell(value: unknown): string {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (value === null) return "";
  const text = typeof value === "string" ? value.replace(/^[=+\-@\t\r]/, "'$&") : JSON.stringify(value);
  return `"${text.replaceAll('"', '""')}"`;
}
