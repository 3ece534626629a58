import { useRef } from "preact/hooks";
import { RequestError } from "../api.ts";

/** What is wrong with a form, by where it is shown. */
export interface Problems {
  /** What is wrong with a field, to be shown there. */
  problemOf(name: string): string | undefined;
  /** What no field has shown, to be shown at the end of the form. */
  otherProblems(): string | undefined;
}

/** Each problem is shown once: beside its field, or else at the end. */
export function useProblems(error: Error | undefined): Problems {
  const shown = useRef(new Set<Problem>());
  const problems = problemsIn(error);
  return {
    problemOf: (name) => {
      const own = problems.filter(({ path = "" }) => `${path}.`.startsWith(`body.${name}.`));
      for (const problem of own) shown.current.add(problem);
      return joined(own.map((problem) => withPlace(problem, name)));
    },
    otherProblems: () => joined(problems.filter((problem) => !shown.current.has(problem)).map(withName)),
  };
}

type Problem = RequestError["details"][number];

/** The details of an error, or else the error itself, whose message may begin with the property. */
const problemsIn = (error: Error | undefined): readonly Problem[] => {
  if (error === undefined) return [];
  const details = error instanceof RequestError ? error.details : [];
  if (details.some(({ path }) => path !== undefined)) return details;
  const [, path, message] = /^(body\.[\w.]+): (.+)$/s.exec(error.message) ?? [];
  return [path !== undefined && message !== undefined ? { path, message } : error];
};

/** An error that is shown beside a field. */
export const problemAt = (name: string, message: string) =>
  new RequestError(400, message, { details: [{ path: `body.${name}`, message }] });

/** A problem within a list starts with the row it is in: "number 2, name: must not be empty". */
const withPlace = ({ path = "", message }: Problem, field: string) => {
  const place = path.slice(`body.${field}.`.length).split(".");
  const row = Number(place[0] || Number.NaN);
  return Number.isNaN(row) ? message : `${[`number ${row + 1}`, ...place.slice(1)].join(", ")}: ${message}`;
};

/** A problem without a field starts with the API's name of the property. */
const withName = ({ path, message }: Problem) =>
  path === undefined ? message : `${path.replace(/^body\./, "")}: ${message}`;

const joined = (messages: ReadonlyArray<string | undefined>) =>
  messages.length === 0 ? undefined : [...new Set(messages)].join("; ");
