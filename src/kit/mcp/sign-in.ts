import { createHash, randomUUID } from "node:crypto";
import type { AuthProvider, OAuthClientProvider, Transport } from "@modelcontextprotocol/client";
import { AgentError } from "../../core/base/error.ts";
import { withMembers } from "../../core/base/with-members.ts";
import type { Decision } from "../../core/tool/pending.ts";
import type { Loaded } from "./load-client.ts";

const isOAuth = (auth: AuthProvider | OAuthClientProvider): auth is OAuthClientProvider =>
  "tokens" in auth && "clientInformation" in auth;

/** True for the error of a request that needs a sign-in, or for one that it has caused. */
export const isUnauthorized = (error: unknown): boolean =>
  error instanceof Error &&
  ((error as { readonly data?: { readonly status?: unknown } }).data?.status === 401 ||
    error.constructor.name === "UnauthorizedError" ||
    isUnauthorized(error.cause));

/** The page that a person visits, and the `state` that the answer must have. */
type Page = { readonly url: string; readonly state: string };

/** The sign-in of one connection. Calls that need one while a person is asked already wait for the same page. */
export class SignIn {
  readonly #auth: AuthProvider | OAuthClientProvider | undefined;
  readonly #server: () => string;
  #state: Promise<string> | undefined;
  #challenge: string | undefined;
  #page = Promise.withResolvers<Page>();
  #last: Page | undefined;
  readonly #finished = new Set<string>();

  constructor(auth: AuthProvider | OAuthClientProvider | undefined, server: () => string) {
    this.#auth = auth;
    this.#server = server;
  }

  /** The page to visit, if somebody must. */
  get page(): Page | undefined {
    return this.#last;
  }

  /** The provider that transports get. Its page goes to the person who is asked by the turn, as well as to the provider. */
  get provider(): AuthProvider | OAuthClientProvider | undefined {
    const auth = this.#auth;
    if (!auth || !isOAuth(auth)) return auth;
    const own: Partial<OAuthClientProvider> = {
      state: () => (this.#state ??= (async () => (await auth.state?.()) ?? randomUUID())()),
      saveCodeVerifier: async (verifier) => {
        if (this.#challenge !== undefined) return;
        this.#challenge = createHash("sha256").update(verifier).digest("base64url");
        try {
          await auth.saveCodeVerifier(verifier);
        } catch (error) {
          this.#forget();
          throw error;
        }
      },
      redirectToAuthorization: async (url) => {
        if (url.searchParams.get("code_challenge") !== this.#challenge)
          return void (await this.#page.promise);
        this.#last = { url: url.href, state: url.searchParams.get("state") ?? "" };
        this.#page.resolve(this.#last);
        await auth.redirectToAuthorization(url);
      },
    };
    return withMembers(auth, own);
  }

  /** Ends a sign-in with what the person answered: the query with which the browser came back. Another value says that the provider has
   *  tokens by now. Throws `tool/failed`, without a word of what the answer says. */
  async finish(loaded: Loaded, transport: Transport, state: string, answer: Decision | undefined) {
    const query = queryOf(answer);
    if (this.#finished.has(state)) return;
    this.#forget();
    if (query === undefined) throw this.#failure("nobody signed in");
    if (query === null) return;
    if (query.get("state") !== state)
      throw this.#failure("the answer belongs to another sign-in: its `state` is not the one that was sent");
    try {
      await (transport as InstanceType<Loaded["StreamableHTTPClientTransport"]>).finishAuth(query);
    } catch (error) {
      throw this.#failure(problemOf(loaded, error) ?? `it could not be finished (${nameOf(error)})`);
    }
    this.#finished.add(state);
  }

  /** Returns an error of the sign-in without what an authorization server wrote, and any other error as it is. */
  safe(loaded: Loaded, error: unknown): unknown {
    const problem = problemOf(loaded, error);
    return problem === undefined ? error : this.#failure(problem);
  }

  #failure(reason: string): AgentError {
    return new AgentError(
      "tool/failed",
      `The sign-in to the MCP server '${this.#server()}' failed: ${reason}.`,
    );
  }

  #forget(): void {
    this.#state = undefined;
    this.#challenge = undefined;
    this.#last = undefined;
    this.#page = Promise.withResolvers();
  }
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.constructor.name : "no error");

/** Returns the meaning of an error of the sign-in. Its own text may be that of an attacker. */
function problemOf(loaded: Loaded, error: unknown): string | undefined {
  if (error instanceof loaded.IssuerMismatchError)
    return "another issuer answers than the authorization server that was asked";
  if (error instanceof loaded.OAuthError) {
    const code = /^[a-z_]{1,40}$/.exec(error.code)?.[0] ?? "an unknown error";
    return `the authorization server answered ${code}`;
  }
  return error instanceof loaded.OAuthClientFlowError ? nameOf(error) : undefined;
}

/** The query that a person answered with, as text or in an address; null for an answer without one, undefined if there is none. */
function queryOf(answer: Decision | undefined): URLSearchParams | null | undefined {
  if (answer === "approve") return null;
  if (typeof answer !== "object" || !("respond" in answer)) {
    return typeof answer === "object" && "approve" in answer ? null : undefined;
  }
  const { respond } = answer;
  if (typeof respond !== "string") return null;
  const query = URL.parse(respond)?.searchParams ?? new URLSearchParams(respond);
  return ["code", "state", "error"].some((name) => query.has(name)) ? query : null;
}
