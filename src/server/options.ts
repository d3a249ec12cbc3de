import type { ErrorInfo } from "../core/base/error.ts";
import type { RateLimit } from "../core/base/rate-limiter.ts";
import type { MemoryStore } from "../kit/memory/port.ts";
import type { SessionStore } from "../store/port.ts";
import type { Dispatcher } from "../worker/types.ts";
import type { Token } from "./tokens.ts";
import type { Webhook } from "./webhooks.ts";

/** A request that was answered, for logs and metrics. Contains no tokens, messages and tool arguments. */
export type RequestRecord = {
  /** A UUID, which the client gets as the header `X-Request-Id` and in the body of an error. */
  readonly requestId: string;
  readonly method: string;
  /** The pattern of the route, such as "/v1/sessions/:id". */
  readonly route: string;
  /** The HTTP status of the response. */
  readonly status: number;
  /** Time until the first byte of the response, in ms. */
  readonly durationMs: number;
  /** The tenant of the token. Absent for a request without a valid token. */
  readonly tenant?: string | undefined;
  /** The name of the token. Absent for a request without a valid token. */
  readonly bearer?: string | undefined;
  /** The id of the session in the path, as the tenant knows it. */
  readonly sessionId?: string | undefined;
  /** The error of a response with status 500 or above, whose message the client does not get. */
  readonly error?: ErrorInfo | undefined;
};

/** Agents as tools of an MCP server. A call runs a turn, and an open call of the turn is a question to the person at the host. */
export type McpServing = {
  /** The description of each agent, by its name, which is the name of the tool. */
  readonly agents: { readonly [name: string]: string };
  /** The secret that signs what a host carries while a person decides, at least 32 bytes; the same in all processes that serve. */
  readonly key: string;
  /** The time for which a question may be answered, in s; default 604,800 (7 days). Then the tool is called again with the session. */
  readonly ttlSeconds?: number | undefined;
};

/** The options of `createServer`. */
export type ServerOptions = {
  /** Puts the inputs of requests into the inboxes of sessions. */
  readonly dispatcher: Dispatcher;
  /** The store of the dispatcher, from which sessions are listed, read and deleted. */
  readonly store: SessionStore;
  /** The bearer tokens that are accepted. With "none", requests from this machine have every scope as the tenant `local`, and all
   *  others get status 403. */
  readonly tokens: readonly Token[] | "none";
  /** The agents that a session may start with. Default: any; a session whose agent no worker has waits for a worker that has it. */
  readonly agents?: readonly string[] | undefined;
  /** The origins whose pages may use the server, such as ["https://app.example.com"]. With this option, a request of a page of another
   *  origin gets status 403. Default: browsers let no page of another origin read responses. */
  readonly origins?: readonly string[] | undefined;
  /** Serves agents as tools of an MCP server at `/mcp`. Needs the package `@modelcontextprotocol/server`. Default: not. */
  readonly mcp?: McpServing | undefined;
  /** The memories of the agents, which are listed and deleted at `/v1/memories/{scope}`. The memories of a tenant are those whose scope is
   *  `<tenant>/<scope>`, so let the agents' `scope` return that. Default: not served. */
  readonly memory?: MemoryStore | undefined;
  /** Webhooks by their names, each at `/webhooks/NAME`, signed as https://www.standardwebhooks.com says. A delivery starts a session, or is
   *  an input of one, once, however often it is sent. Default: none. */
  readonly webhooks?: { readonly [name: string]: Webhook } | undefined;
  /** The clock of the timestamps of webhooks, epoch ms; default `Date.now`. */
  readonly now?: (() => number) | undefined;
  /** Maximum size of a request body, in bytes; default 1,048,576 (1 MiB). A larger body gets status 413. */
  readonly maxBodyBytes?: number | undefined;
  /** Maximum rate of requests per token; tokens of a tenant with the same name share it. Default: 50 per second with bursts of 100.
   *  Requests above it get status 429 and `Retry-After`. */
  readonly rateLimit?: RateLimit | undefined;
  /** Maximum number of open event streams per tenant; default 100. More get status 429. */
  readonly maxStreams?: number | undefined;
  /** Interval of the comments that keep an idle event stream open, in ms; default 15,000. A client that does not read for four
   *  intervals is disconnected. */
  readonly heartbeatMs?: number | undefined;
  /** An additional check for `/readyz`, such as of the queue. If it rejects, `/readyz` responds with status 503. */
  readonly ready?: (() => Promise<unknown>) | undefined;
  /** Called after each request. */
  readonly onRequest?: ((record: RequestRecord) => void) | undefined;
};

/** A server without a port. Pass it to `serve`, or its `fetch` to a server of your own, such as a Hono app: `app.mount("/", fetch)`. */
export type HttpApp = {
  /** Answers a request of the Fetch standard. Node's adapters pass `env`, whose `incoming` holds the address of the client. */
  readonly fetch: (request: Request, env?: object) => Response | Promise<Response>;
  /** Answers a request to a path or a URL without a network, for tests. */
  readonly request: (input: string | URL | Request, init?: RequestInit) => Response | Promise<Response>;
};
