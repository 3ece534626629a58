import { type Job, type Outcome, textOf } from "./provider.ts";

/** Headers that belong to the connection rather than the message. */
const OF_CONNECTION = /^(connection|content-length|transfer-encoding|upgrade|te|trailer|expect)$/i;

/** The custom headers; none, and a problem, unless they are a JSON object. */
export function customHeaders(job: Job): { headers: Record<string, string>; problem?: string } {
  const text = textOf(job, "customHeaders");
  if (text.trim() === "") return { headers: {} };
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) throw new SyntaxError();
    const entries = Object.entries(parsed).filter(([name]) => !OF_CONNECTION.test(name));
    return {
      headers: Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), String(value)])),
    };
  } catch {
    return { headers: {}, problem: "Could not parse the JSON in the customHeaders parameter." };
  }
}

/** Adds the problem to an outcome (original). */
export const withProblem = (outcome: Outcome, problem: string | undefined): Outcome =>
  problem === undefined
    ? outcome
    : {
        ...outcome,
        state: outcome.state === "success" ? "successWithErrors" : outcome.state,
        stateDetails: `${problem}\n${outcome.stateDetails}`,
      };
