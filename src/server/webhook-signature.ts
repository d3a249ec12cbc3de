import { createHmac, timingSafeEqual } from "node:crypto";
import { RequestError } from "./request-error.ts";

// Signed as https://www.standardwebhooks.com says: `webhook-signature` has "v1," and the base64 of HMAC-SHA-256 over "ID.TIMESTAMP.BODY".

/** The headers of a delivery. */
export type SignedHeaders = {
  readonly id: string | undefined;
  /** Seconds since 1970. */
  readonly timestamp: string | undefined;
  /** Signatures, with spaces between them. */
  readonly signature: string | undefined;
};

/** A delivery whose signature is right. */
export type VerifiedDelivery = { readonly id: string; /** Epoch ms. */ readonly timestamp: number };

/** The number of signatures of a delivery that are compared: its sender has one for each of its secrets. */
const MAX_SIGNATURES = 16;

/** Returns the bytes of a secret: those of the base64 after `whsec_`, else those of the text. */
export function secretBytes(secret: string): Buffer {
  return secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : Buffer.from(secret);
}

/**
 * Verifies a delivery. One of its signatures must be that of one of the secrets, compared in constant time, and its timestamp at most
 * `toleranceMs` away from `now`. Throws a {@link RequestError} with status 401: `webhook/bad-signature`, also for missing headers, or `webhook/too-old`. It
 * names no secret.
 */
export function verifyDelivery(
  { id = "", timestamp = "", signature = "" }: SignedHeaders,
  body: Uint8Array,
  {
    secrets,
    now,
    toleranceMs,
  }: { readonly secrets: readonly string[]; readonly now: number; readonly toleranceMs: number },
): VerifiedDelivery {
  if (id === "" || signature === "" || !/^\d{1,12}$/u.test(timestamp))
    throw refused("The headers webhook-id, webhook-timestamp (seconds) and webhook-signature are required.");
  const given = signature
    .split(" ")
    .filter((each) => each.startsWith("v1,"))
    .slice(0, MAX_SIGNATURES)
    .map((each) => Buffer.from(each.slice(3), "base64"));
  let isRight = false;
  for (const secret of secrets) {
    const hmac = createHmac("sha256", secretBytes(secret));
    const wanted = hmac.update(`${id}.${timestamp}.`).update(body).digest();
    // all are compared, so that the time does not say which secret it was
    for (const each of given)
      if (each.length === wanted.length && timingSafeEqual(each, wanted)) isRight = true;
  }
  if (!isRight) throw refused("No signature of the webhook is right for its id, its timestamp and its body.");
  const at = Number(timestamp) * 1_000;
  if (Math.abs(now - at) > toleranceMs)
    throw new RequestError(
      401,
      "webhook/too-old",
      `The timestamp of the webhook is more than ${toleranceMs / 1_000} s away from the time of the server.`,
    );
  return { id, timestamp: at };
}

const refused = (detail: string): RequestError => new RequestError(401, "webhook/bad-signature", detail);
