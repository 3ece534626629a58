import crypto from "node:crypto";

/**
 * Headers by which a receiver knows the sender (Standard Webhooks): the id stays the same over attempts, so that what
 * comes twice is known by it.
 * @param secrets `whsec_…`; each signs, so that a receiver may know either
 */
export function signed(id: string, now: number, body: string, secrets: readonly string[]) {
  const timestamp = String(Math.floor(now / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
    return `v1,${crypto.createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
  });
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    ...(signatures.length > 0 && { "webhook-signature": signatures.join(" ") }),
  };
}
