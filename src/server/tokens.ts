import { createHash, timingSafeEqual } from "node:crypto";
import { configError } from "../core/base/error.ts";
import * as s from "../core/base/option-schema.ts";
import { check } from "../core/base/options.ts";

export const SCOPES = ["read", "write", "decide"] as const;
/** The scope of a token: "read" to read sessions; "write" to create, continue, interrupt and delete them; "decide" to decide about their
 *  open calls and to extend their budgets. */
export type Scope = (typeof SCOPES)[number];

/** The name of a tenant is the part of a session id before the slash; the package has one of its own. */
const TENANT = /^(?!agentchart$)[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

/** A bearer token of the configuration. It has either `token` or `sha256`. */
export type Token = {
  /** The tenant whose sessions the token can access: 1 to 64 letters, digits, "_", "." or "-", and not "agentchart". */
  readonly tenant: string;
  /** The scopes of the token, at least one scope. */
  readonly scopes: readonly Scope[];
  /** The name of the token in logs, for the rate limit, and in the journal for the decisions that are made with it. It has at most 100
   *  characters; default: the tenant. */
  readonly name?: string | undefined;
  /** The token itself: at least 20 visible ASCII characters. */
  readonly token?: string | undefined;
  /** The SHA-256 of the token, in hexadecimal. */
  readonly sha256?: string | undefined;
};

/** The schema of {@link Token}. */
export const tokenSchema = s.lazily(() =>
  s.restricted(
    s.options<Token>({
      tenant: s.matching(TENANT, "1 to 64 letters, digits, '_', '.' or '-', and not agentchart"),
      scopes: s.restricted(s.listOf(s.oneOf(...SCOPES)), (scopes) => scopes.length > 0, "at least one scope"),
      name: s.optional(s.matching(/^.{0,100}$/su, "at most 100 characters")),
      token: s.optional(s.secret("at least 20 visible ASCII characters", /^[\x21-\x7e]{20,}$/)),
      sha256: s.optional(s.secret("64 hexadecimal digits", /^[0-9a-f]{64}$/i)),
    }),
    ({ token, sha256 }) => (token === undefined) !== (sha256 === undefined),
    "either `token` or `sha256`",
  ),
);

const tokensSchema = s.lazily(() =>
  s.restricted(
    s.listOf(tokenSchema(), "an array of { tenant, scopes, token or sha256 }"),
    (tokens) => tokens.length > 0,
    "at least one token",
  ),
);

/** The access of a request. */
export type Access = { readonly tenant: string; readonly scopes: readonly Scope[]; readonly name: string };

/** The accepted tokens. Only their hashes are stored. */
export class TokenRegistry {
  readonly #entries: readonly { readonly hash: Buffer; readonly access: Access }[];

  /** Throws `config/invalid` for an invalid entry, for an empty array, and for a token that occurs twice. */
  constructor(tokens: readonly Token[]) {
    this.#entries = readTokens(tokens).map(({ tenant, scopes, name = tenant, token, sha256 }) => ({
      hash: sha256 === undefined ? hashOf(token ?? "") : Buffer.from(sha256, "hex"),
      access: { tenant, scopes, name },
    }));
    const hashes = new Set(this.#entries.map(({ hash }) => hash.toString("hex")));
    if (hashes.size < this.#entries.length) throw configError("tokens: a token occurs twice.");
  }

  /** Returns what the token allows, or undefined for an unknown token. The time depends only on the length of the token. */
  find(token: string): Access | undefined {
    const hash = hashOf(token);
    const found = this.#entries.filter((entry) => timingSafeEqual(entry.hash, hash));
    return found[0]?.access;
  }
}

/**
 * Validates the parsed JSON of a tokens file. Throws `config/invalid` with the path of the first mistake, but without its value.
 *
 * @example
 * ```ts
 * import { readFileSync } from "node:fs";
 * import { readTokens } from "agentchart/server";
 *
 * // [{ "tenant": "acme", "scopes": ["read", "write", "decide"], "sha256": "9f86d08…" }]
 * const tokens = readTokens(JSON.parse(readFileSync("tokens.json", "utf8")));
 * ```
 */
export function readTokens(value: unknown): readonly Token[] {
  check(tokensSchema(), value, "tokens", "The value");
  return value as readonly Token[];
}

function hashOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
