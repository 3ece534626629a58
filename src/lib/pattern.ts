import vm from "node:vm";
import { re2js } from "#on-demand";

/**
 * Whether a regular expression of JavaScript matches a whole text, wherever an unanchored match would end. Nearly all are
 * matched in linear time. The rest may backtrack for years, and would block everyone meanwhile: undefined for one that
 * takes too long or is invalid.
 */
export function matchesWhole(pattern: string, text: string): boolean | undefined {
  try {
    const { source: whole } = new RegExp(`^(?:${pattern})$`);
    return (
      inLinearTime(pattern, whole)?.matcher(text).find() ??
      vm.runInNewContext("new RegExp(whole).test(text)", { whole, text }, { timeout: MAX_MS })
    );
  } catch {
    return undefined;
  }
}

/** How long the others may take, in milliseconds. */
const MAX_MS = 100;

/** What RE2 takes as JavaScript does. JavaScript has lookaheads and references beside, and other rare escapes. */
const COMMON =
  /^(?:[^\\([]|\\[dDwWbBtnrfv]|\\[^\w]|\((?!\?)|\(\?:|\[\^?(?![\^\]])(?:[^\]\\[]|\\[dDwWtnrfv]|\\[^\w])+\])*$/;

function inLinearTime(pattern: string, whole: string) {
  try {
    return COMMON.test(pattern) ? re2js().RE2JS.compile(whole) : undefined;
  } catch {
    return undefined;
  }
}
