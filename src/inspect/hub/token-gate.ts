import { retryAfter, wrongTokenLimiter } from "../../core/base/rate-limiter.ts";
import { isSameToken } from "./access-policy.ts";

/** The reason for which a client is refused: a status of HTTP, of which sockets add 4000 for their close code, and a reason. */
export type TokenRefusal = {
  /** 401, or 429 if its address has sent too many wrong tokens. */
  readonly status: 401 | 429;
  /** The error message for the client. */
  readonly reason: string;
  /** The value of `Retry-After`, with status 429. */
  readonly retryAfter?: string;
};

/** Checks the tokens of clients, and limits how often an address may send a wrong one. */
export class TokenGate {
  readonly #token: string;
  readonly #wrong = wrongTokenLimiter();

  constructor(token: string) {
    this.#token = token;
  }

  /** Returns why a client is refused; undefined for one with the right token, which is never limited. */
  refusal(token: unknown, address: string | undefined): TokenRefusal | undefined {
    if (isSameToken(token, this.#token)) return undefined;
    const waitMs = this.#wrong.take(address ?? "");
    if (waitMs === 0) return { status: 401, reason: "Wrong token" };
    return { status: 429, reason: "Too many wrong tokens", retryAfter: retryAfter(waitMs) };
  }
}
