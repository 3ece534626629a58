import { useRef } from "preact/hooks";
import { RequestError } from "../api.ts";

/** What the server says of a form, told apart by where it stands. */
export interface Problems {
  /** What is wrong with one field, which shows it. */
  problemOf(name: string): string | undefined;
  /** What no field has shown, for the end of the form. */
  otherProblems(): string | undefined;
}

/** Each problem of a refusal is shown once: beside its field, or else at the end. */
export function useProblems(error: Error | undefined): Problems {
  const shown = useRef(new Set<Problem>());
  const problems = problemsIn(error);
  return {
    problemOf: (name) => {
      const own = problems.filter(({ path = "" }) => `${path}.`.startsWith(`body.${name}.`));
      for (const problem of own) shown.current.add(problem);
      return joined(own.map(({ message }) => message));
    },
    otherProblems: () => joined(problems.filter((problem) => !shown.current.has(problem)).map(withName)),
  };
}

type Problem = RequestError["details"][number];

/** Those of several fields, or the one that is about none. */
const problemsIn = (error: Error | undefined): readonly Problem[] => {
  if (error === undefined) return [];
  const details = error instanceof RequestError ? error.details : [];
  return details.some(({ path }) => path !== undefined) ? details : [error];
};

/** Of what no field is there for: the API's name says what it is about. */
const withName = ({ path, message }: Problem) =>
  path === undefined ? message : `${path.replace(/^body\./, "")}: ${message}`;

const joined = (messages: ReadonlyArray<string | undefined>) =>
  messages.length === 0 ? undefined : [...new Set(messages)].join("; ");
