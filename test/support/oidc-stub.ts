import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";

/*
 * A provider of identities that says whatever a test wants it to, right or wrong. It knows no people: a test is the browser
 * and comes back with any code.
 */

export const CLIENT = { id: "flagstone", secret: "a-secret-of-32-characters-or-more" };

/** What it answers with, in place of what it should. */
type Answer = { status?: number; type?: string; body: string; location?: string };

export async function openStub(t: TestContext) {
  let signing: { kid: string; key: CryptoKey };
  const answers: Record<string, () => Answer | Promise<Answer>> = {};
  const server = http.createServer(async (request, response) => {
    const answer = await answers[request.url!.split("?")[0]!]?.();
    const { status = 200, type = "application/json", body = "", location } = answer ?? { status: 404 };
    response.writeHead(status, { "content-type": type, ...(location && { location }) }).end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const json = (value: unknown) => () => ({ body: JSON.stringify(value) });
  answers["/.well-known/openid-configuration"] = json({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    end_session_endpoint: `${issuer}/end?by=us`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
  });
  /** Signs with another key from now on. */
  const rotate = async () => {
    const { privateKey: key, publicKey } = await generateKeyPair("RS256");
    signing = { kid: crypto.randomUUID(), key };
    const jwk = { ...(await exportJWK(publicKey)), kid: signing.kid, alg: "RS256", use: "sig" };
    answers["/keys"] = json({ keys: [jwk] });
  };
  await rotate();
  const sign = (claims: JWTPayload, key: CryptoKey | Uint8Array = signing.key, alg = "RS256") =>
    new SignJWT(claims).setProtectedHeader({ alg, kid: signing.kid }).sign(key);
  /** Answers the next requests for tokens with this one. */
  const give = (idToken: string) => {
    answers["/token"] = json({ access_token: "access", token_type: "Bearer", id_token: idToken });
  };
  return { issuer, answers, sign, give, rotate };
}
