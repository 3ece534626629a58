import crypto from "node:crypto";

/**
 * Headers that prove the sender (Standard Webhooks). The id stays the same across attempts, so that receivers can
 * recognize repeats.
 * @param secrets `whsec_…`; the signatures of all are sent, so that the receiver needs only one of them
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
