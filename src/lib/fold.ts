/** Normalizes text for indexing and searching: upper case, since a lower-case letter can depend on its neighbours. */
export const fold = (text: string) => text.normalize("NFC").toUpperCase();
