import { createHash, timingSafeEqual } from "node:crypto";
import { z } from "@hono/zod-openapi";
import { AgentError } from "../base/error.ts";

/** What a token may do: look at sessions; create, continue and delete them; answer what they wait for. */
export const SCOPES = ["read", "write", "decide"] as const;
export type Scope = (typeof SCOPES)[number];

/** Names of tenants stand in session ids, before a slash. */
const TENANT = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;
const SHORTEST_TOKEN = 20;

const entrySchema = z
  .strictObject({
    tenant: z.string().regex(TENANT, "1 to 64 letters, digits, '_', '.' or '-'"),
    scopes: z.array(z.enum(SCOPES)).nonempty(),
    name: z.string().max(100).optional(),
    token: z
      .string()
      .min(SHORTEST_TOKEN, `at least ${SHORTEST_TOKEN} characters`)
      .regex(/^[\x21-\x7e]*$/, "visible ASCII characters only, as a header holds them")
      .optional(),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/i, "64 hexadecimal digits")
      .optional(),
  })
  .refine(({ token, sha256 }) => (token === undefined) !== (sha256 === undefined), {
    message: "one of `token` and `sha256`",
  });

/** A token as it is configured: itself (at least 20 visible ASCII characters), or the SHA-256 of it in hexadecimal. */
export type Token = {
  readonly tenant: string;
  readonly scopes: readonly Scope[];
  /** What logs call its bearer; default: the tenant. */
  readonly name?: string | undefined;
  readonly token?: string | undefined;
  readonly sha256?: string | undefined;
};

/** What a request may do. */
export type Access = { readonly tenant: string; readonly scopes: readonly Scope[]; readonly name: string };

/** Who the bearers of tokens are. Only hashes are kept. */
export class TokenBook {
  readonly #known: readonly { readonly hash: Buffer; readonly access: Access }[];

  /** Throws `config/invalid` for a wrong entry, for none at all, and for a token that is given twice. */
  constructor(tokens: readonly Token[]) {
    const entries = readTokens(tokens);
    this.#known = entries.map(({ tenant, scopes, name = tenant, token, sha256 }) => ({
      hash: sha256 === undefined ? hashOf(token ?? "") : Buffer.from(sha256, "hex"),
      access: { tenant, scopes, name },
    }));
    const hashes = new Set(this.#known.map(({ hash }) => hash.toString("hex")));
    if (hashes.size < this.#known.length) throw invalid("a token is given twice");
  }

  /** What the bearer may do; undefined for a token nobody has. Takes the same time for any token of the same length. */
  find(token: string): Access | undefined {
    const hash = hashOf(token);
    const found = this.#known.filter((known) => timingSafeEqual(known.hash, hash));
    return found[0]?.access;
  }
}

/** Checked entries of parsed JSON. Throws `config/invalid` with the place of the mistake and without the value. */
export function readTokens(value: unknown): readonly Token[] {
  const { data, error } = z.array(entrySchema).nonempty().safeParse(value);
  if (data) return data;
  const { path, message } = error.issues[0]!;
  throw invalid(`${path.length > 0 ? `at ${path.join(".")}: ` : ""}${message}`);
}

function hashOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

function invalid(problem: string): AgentError {
  return new AgentError(
    "config/invalid",
    `The tokens must be a list of { tenant, scopes, token or sha256 }: ${problem}.`,
  );
}
