import { onTestFinished } from "vitest";
import { createServer, type RequestRecord, type ServerOptions, type Token } from "agentchart/server";
import { memoryStore } from "agentchart/store/memory";
import type { SessionStore } from "agentchart";
import { inProcessQueue } from "../../src/worker/queue/in-process.ts";
import type { WakeQueue } from "../../src/worker/queue/port.ts";
import { createDispatcher } from "../../src/worker/dispatcher.ts";

/** The bearer tokens of the tests, and what each may do. */
export const TOKENS = {
  acme: "acme-token-that-nobody-guesses",
  reader: "acme-reader-that-nobody-guesses",
  writer: "acme-writer-that-nobody-guesses",
  globex: "globex-token-that-nobody-guesses",
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
  /** A request of the bearer of a token, acme's unless given; a body is sent as JSON. */
  ask(method: string, path: string, options?: AskOptions): Promise<Response>;
};

export type AskOptions = {
  readonly as?: keyof typeof TOKENS;
  readonly body?: unknown;
  readonly headers?: { readonly [name: string]: string };
};

/** A server on a store in memory and a queue in this process, without a worker. */
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
    ask: async (method, path, { as = "acme", body, headers = {} } = {}) =>
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

/** What a session of the desk begins with. */
export const BEGIN = { agent: "desk", input: "Hello" };

/** Begins a session and gives its id. */
export async function begin(server: TestServer, options: AskOptions = {}): Promise<string> {
  const response = await server.ask("POST", "/v1/sessions", { body: BEGIN, ...options });
  return ((await response.json()) as { readonly id: string }).id;
}
