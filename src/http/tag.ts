/*
 * The tag of an answer stands for its content, however it is compressed. Where some of that changes by use, by time or
 * with the caller, the tag begins with one of the rest, the version: that alone is what `If-Match` asks for.
 */

/** @param content a hash of all @param version one of what lasts, where that is less */
export const toTag = (content: string, version?: string) =>
  version === undefined ? `"${content}"` : `"${version}.${content}"`;

/** `If-None-Match` names this tag, or any; weak tags are as good. */
export function isKnown(header: string | null | undefined, etag: string | undefined) {
  if (!header || !etag) return false;
  return header === etag || names(header, etag, opaque);
}

/** `If-Match` names the version of this tag, or any; weak tags are as good, since what is compressed has no other. */
export const isCurrentTag = (header: string, etag: string) => names(header, etag, versionOf);

function names(header: string, etag: string, part: (tag: string) => string) {
  const tags = header.split(",").map((tag) => part(tag.trim()));
  return tags.includes(part(etag)) || tags.includes("*");
}

const opaque = (tag: string) => tag.replace(/^W\//, "");

const versionOf = (tag: string) => opaque(tag).replaceAll('"', "").split(".")[0]!;
