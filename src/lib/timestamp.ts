/** Later times have a longer form, which doesn't sort and is refused by an import. */
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** A time in milliseconds since 1970, or else now, as RFC 3339; even by a clock that is wrong by millennia. */
export const timestamp = (time = Date.now()): string => new Date(Math.min(time, LATEST)).toISOString();
