import vm from "node:vm";

/** How long a pattern may take with one text, in milliseconds. */
const LONGEST_MS = 100;

/**
 * Whether a regular expression matches all of a text, without regard to where others end it. Some go back and forth
 * for years, and while one does nobody else is answered: undefined for one that takes too long, or that can't be used.
 */
export function matchesWhole(pattern: string, text: string): boolean | undefined {
  try {
    return vm.runInNewContext(
      "new RegExp(pattern).test(text)",
      { pattern: `^(?:${pattern})$`, text },
      LIMITS,
    );
  } catch {
    return undefined;
  }
}

const LIMITS = { timeout: LONGEST_MS };
