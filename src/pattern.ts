import vm from "node:vm";

/** How long matching a pattern against one text may take, in milliseconds. */
const MAX_MS = 100;

/**
 * Whether a regular expression matches a whole text, wherever an unanchored match would end. Some patterns backtrack
 * for years and would block everyone meanwhile: undefined for one that takes too long or is invalid.
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

const LIMITS = { timeout: MAX_MS };
