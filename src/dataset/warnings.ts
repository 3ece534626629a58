/*
 * What a dataset may contain although the API would reject it: it is stored and served as it is, but must be corrected
 * before it can be changed. Each warning begins with the path.
 */

/** For a name that becomes part of URLs. */
export function* nameWarnings(path: string, name: string): Generator<string> {
  if (encodeURIComponent(name) !== name || name.length > 100)
    yield `${path}: the API accepts up to 100 letters, digits and - . _ ~ ! * ' ( )`;
}
