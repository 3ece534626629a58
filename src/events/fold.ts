/** Text as it is indexed and searched: upper case, since a lower-case letter can depend on its neighbours. */
export const fold = (text: string) => text.normalize("NFC").toUpperCase();
