/**
 * The licences of everything bundled, as one text. In a checkout they are next to their packages; a build
 * replaces this file with the collected text.
 */
export const licenses = async (): Promise<string> =>
  "Flagstone is licensed under the Apache License 2.0, see LICENSE.\n" +
  "This is a checkout: the licences of the packages it uses are in node_modules.\n" +
  "An executable, or a bundle made with `npm run build`, prints them here.";
