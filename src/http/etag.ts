/*
 * A response's tag identifies its content, however it is compressed. If part of the content varies with use, time
 * or caller, the tag begins with a hash of the rest, the version, which is all that `If-Match` compares.
 */

/** @param content a hash of everything @param version a hash of the stable part, if that is not everything */
export const toTag = (content: string, version?: string) =>
  version === undefined ? `"${content}"` : `"${version}.${content}"`;

/** Whether `If-None-Match` names this tag, or any; weak tags match too. */
export function matches(header: string | null | undefined, etag: string | undefined) {
  if (!header || !etag) return false;
  return header === etag || names(header, etag, opaque);
}

/** Whether `If-Match` names this tag's version, or any; weak tags match too, as compressed responses have no other. */
export const isCurrentTag = (header: string, etag: string) => names(header, etag, versionOf);

function names(header: string, etag: string, part: (tag: string) => string) {
  const tags = header.split(",").map((tag) => part(tag.trim()));
  return tags.includes(part(etag)) || tags.includes("*");
}

const opaque = (tag: string) => tag.replace(/^W\//, "");

const versionOf = (tag: string) => opaque(tag).replaceAll('"', "").split(".")[0]!;
