import { onTestFinished } from "vitest";
import { createServer, type RequestRecord, type ServerOptions, type Token } from "agentchart/server";
import { memoryStore } from "agentchart/store/memory";
import type { SessionStore } from "agentchart";
import { inProcessQueue } from "../../src/worker/queue/in-process.ts";
import type { WakeQueue } from "../../src/worker/queue/port.ts";
import { createDispatcher } from "../../src/worker/dispatcher.ts";

/** The bearer tokens of the tests. */
export const TOKENS = {
  acme: "acme-token-of-the-server-tests",
  reader: "acme-reader-of-the-server-tests",
  writer: "acme-writer-of-the-server-tests",
  globex: "globex-token-of-the-server-tests",
} as const;

const ENTRIES: readonly Token[] = [
  { tenant: "acme", scopes: ["read", "write", "decide"], token: TOKENS.acme },
  { tenant: "acme", scopes: ["read"], token: TOKENS.reader, name: "reader" },
  { tenant: "acme", scopes: ["write"], token: TOKENS.writer, name: "writer" },
  { tenant: "globex", scopes: ["read", "write", "decide"], token: TOKENS.globex },
];

export type TestServer = {
  readonly app: ReturnType<typeof createServer>;
  readonly store: SessionStore;
  readonly queue: WakeQueue;
  readonly records: readonly RequestRecord[];
  /** Sends a request with a token, by default that of acme. The body is sent as JSON. */
  request(method: string, path: string, options?: RequestOptions): Promise<Response>;
};

export type RequestOptions = {
  readonly as?: keyof typeof TOKENS;
  readonly body?: unknown;
  readonly headers?: { readonly [name: string]: string };
};

/** A server with a store in memory and a queue in this process, without a worker. */
export function openServer(options: Partial<ServerOptions> = {}): TestServer {
  const store = options.store ?? memoryStore();
  const queue = inProcessQueue();
  onTestFinished(() => queue.close());
  const records: RequestRecord[] = [];
  const app = createServer({
    dispatcher: createDispatcher({ queue, store }),
    tokens: ENTRIES,
    onRequest: (record) => void records.push(record),
    ...options,
    store,
  });
  return {
    app,
    store,
    queue,
    records,
    request: async (method, path, { as = "acme", body, headers = {} } = {}) =>
      app.request(path, {
        method,
        headers: {
          Authorization: `Bearer ${TOKENS[as]}`,
          ...(body !== undefined && { "Content-Type": "application/json" }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
  };
}

/** The body of the request that creates a session of the agent "desk". */
export const NEW_SESSION = { agent: "desk", input: "Hello" };

/** Creates a session and returns its id. */
export async function createSession(server: TestServer, options: RequestOptions = {}): Promise<string> {
  const response = await server.request("POST", "/v1/sessions", { body: NEW_SESSION, ...options });
  return ((await response.json()) as { readonly id: string }).id;
}
