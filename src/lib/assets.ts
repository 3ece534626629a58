/**
 * A file that comes with the program, loaded when needed: the native addon, the licences, the page. A checkout has none
 * of them, since each is where npm or the sources have it; a bundle has `scripts/embedded-assets.ts` in this file's
 * place.
 */
export const asset = (_name: string): Buffer | undefined => undefined;
