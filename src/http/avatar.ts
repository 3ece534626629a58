import { type H3Event, HTTPResponse } from "h3";
import { drawAvatar } from "../access/person.ts";
import { ApiError } from "../lib/api-error.ts";

/** `GET /avatars/<sha256>.svg`: needs no credential: browsers fetch images without one, and these reveal nothing. */
export function avatarResponse(event: H3Event): HTTPResponse {
  const hash = /^([0-9a-f]{64})\.svg$/.exec(event.context.params?.file ?? "")?.[1];
  if (hash === undefined) throw new ApiError("NotFoundError", `There is nothing at ${event.url.pathname}`);
  const body = drawAvatar(hash);
  return new HTTPResponse(body, {
    headers: {
      "content-type": "image/svg+xml",
      "content-length": String(Buffer.byteLength(body)),
      "cache-control": "public, max-age=31536000, immutable",
      "content-security-policy": "default-src 'none'",
      "x-content-type-options": "nosniff",
    },
  });
}
