import { isDeepStrictEqual } from "node:util";

/** Those that the other list lacks. */
export const without = <T>(list: readonly T[], others: readonly T[]) =>
  list.filter((one) => !others.some((other) => isDeepStrictEqual(one, other)));
