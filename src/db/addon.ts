/**
 * better-sqlite3's native part, where the program brings its own: undefined in a checkout, in which the package
 * finds it. The executable is built with `scripts/embedded-addon.ts` in this file's place.
 */
export const nativeBinding = (): object | undefined => undefined;
