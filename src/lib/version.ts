/** The version of this program, same as in package.json (a test compares them). */
export const VERSION = "0.2.0";

/** Filled in by the build (scripts/bundle.ts). */
declare const BUILD_COMMIT: string | null;

/** The abbreviated commit it was built from; null in a checkout, which may contain changes. */
export const COMMIT = typeof BUILD_COMMIT === "undefined" ? null : BUILD_COMMIT;

export const BUILD = COMMIT === null ? VERSION : `${VERSION} (${COMMIT})`;

/** The version of the original that this server reports; clients check it. */
export const ORIGINAL = "6.3.0";
