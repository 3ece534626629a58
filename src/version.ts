/** The version of this program, as package.json has it (a test compares). */
export const VERSION = "0.1.0";

/** Put in by the build (scripts/bundle.ts). */
declare const BUILD_COMMIT: string | null;

/** The commit that it was built from, shortened; null in a checkout, which may hold changes. */
export const COMMIT = typeof BUILD_COMMIT === "undefined" ? null : BUILD_COMMIT;

/** The version of the original that is answered as; clients compare with it. */
export const ORIGINAL = "6.3.0";
