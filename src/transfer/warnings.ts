/*
 * What a dataset may hold and the API would refuse: it is stored and answered as it is, but can't be changed
 * without being put right. Each warning begins with where.
 */

/** Of a name that is part of addresses. */
export function* nameWarnings(path: string, name: string): Generator<string> {
  if (encodeURIComponent(name) !== name || name.length > 100)
    yield `${path}: the API takes up to 100 letters and digits and - . _ ~ ! * ' ( )`;
}
