/** What stands in for a secret, where one is shown; the original masks with the same. */
export const MASK = "*****";
