import { otpauth } from "#on-demand";

/** How many steps of 30 seconds a phone's clock may be off, either way. */
const WINDOW = 1;

const totpOf = (secret: string, label = "") =>
  new (otpauth().TOTP)({ issuer: "Flagstone", label, secret: otpauth().Secret.fromBase32(secret) });

/** A new secret for an authenticator app, 160 bits in base32. */
export const newCodeSecret = () => new (otpauth().Secret)({ size: 20 }).base32;

/** The link that adds a secret to an authenticator app. */
export const codeLink = (secret: string, label: string) => totpOf(secret, label).toString();

/** The step since 1970 that a code of six digits is for; undefined if it is wrong, or the clocks are too far apart. */
export function stepOf(secret: string, code: string, timestamp = Date.now()): number | undefined {
  const totp = totpOf(secret);
  const delta = totp.validate({ token: code, timestamp, window: WINDOW });
  return delta === null ? undefined : totp.counter({ timestamp }) + delta;
}
