/** Shown in place of a secret; the original uses the same mask. */
export const MASK = "*****";
