import type { ErrorInfo } from "../base/error.ts";
import type { SessionStore } from "../store/port.ts";
import type { Dispatcher } from "../worker/types.ts";
import type { RateLimit } from "./rate-limit.ts";
import type { Token } from "./tokens.ts";

/** A request that was answered. Holds no token, no message and no argument of anybody. */
export type RequestRecord = {
  readonly requestId: string;
  readonly method: string;
  /** The path of the route, such as "/v1/sessions/:id". */
  readonly route: string;
  readonly status: number;
  /** Until the answer began. */
  readonly durationMs: number;
  readonly tenant?: string;
  readonly bearer?: string;
  readonly sessionId?: string;
  readonly error?: ErrorInfo;
};

export type ServerOptions = {
  readonly dispatcher: Dispatcher;
  readonly store: SessionStore;
  /** Who may do what. "none": everybody on this machine may do everything, as the tenant `local`; others are refused. */
  readonly tokens: readonly Token[] | "none";
  /** The agents that a session may begin with, those of the workers; default: any, and a session whose agent no worker has waits
   *  for one that does. */
  readonly agents?: readonly string[];
  /** Bytes of a request's body; default 1 MiB. */
  readonly maxBodyBytes?: number;
  /** For the bearer of each token (tokens of a tenant without a name share it); default 50 a second, 100 at once. */
  readonly rateLimit?: RateLimit;
  /** Event streams of one tenant that are open at once; default 100. */
  readonly maxStreams?: number;
  /** How often an event stream shows that it lives, ms; default 15,000. */
  readonly heartbeatMs?: number;
  /** Rejects while the server cannot do its work, beside what it finds out about its store. */
  readonly ready?: () => Promise<unknown>;
  /** Hears of every request. */
  readonly onRequest?: (record: RequestRecord) => void;
};

/** A server without a port. Pass it to `serve`, or its `fetch` to a server of your own, such as a Hono app: `app.mount("/", fetch)`. */
export type HttpApp = {
  /** Answers a request of the Fetch standard. Node's adapters pass `env`, whose `incoming` holds the address of the client. */
  readonly fetch: (request: Request, env?: object) => Response | Promise<Response>;
  /** Answers a request to a path or a URL without a network, for tests. */
  readonly request: (input: string | URL | Request, init?: RequestInit) => Response | Promise<Response>;
};
