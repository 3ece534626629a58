/**
 * The native addon of better-sqlite3, if the program ships its own; undefined in a checkout, where the package finds
 * it itself. The executable is built with `scripts/embedded-addon.ts` in this file's place.
 */
export const nativeBinding = (): object | undefined => undefined;
