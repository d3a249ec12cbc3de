// What the servers beside this file share: a chat of `useChat` as a Request that becomes a Response.
import { AgentError, createAgent, type Agent, type AgentConfig } from "agentchart";
import { openSession } from "agentchart/session";
import { readChatRequest, toUIMessageChunks, toUIMessages } from "agentchart/ui";

type Store = NonNullable<AgentConfig["store"]>;

/** The chats of one person or of many: each is a session of the store. Put your own id of the person into the id of the chat. */
export class Chats {
  readonly #config: Omit<AgentConfig, "sessionId">;
  readonly #store: Store;
  readonly #agents = new Map<string, Agent>();

  constructor({ store, ...config }: Omit<AgentConfig, "sessionId"> & { readonly store: Store }) {
    this.#store = store;
    this.#config = config;
  }

  /** Takes what `useChat` posts, and streams the turn. A page that goes away does not end it. */
  async post(id: string, body: unknown): Promise<Response> {
    try {
      const agent = this.#agentOf(id);
      await agent.open();
      const { text, decisions } = readChatRequest(body, agent.status().pending);
      for (const { callId, decision, argsHash } of decisions)
        await agent.decide(callId, decision, { argsHash });
      return streamed(toUIMessageChunks(agent.stream(text, { onLeave: "continue" })));
    } catch (error) {
      return refused(error);
    }
  }

  /** The conversation, with which a page begins. */
  async get(id: string): Promise<Response> {
    try {
      return Response.json(await toUIMessages((await openSession(this.#store, id)).events()));
    } catch (error) {
      return refused(error);
    }
  }

  /** Stops all turns at their next step, and frees the sessions for another process. */
  async close(): Promise<void> {
    await Promise.all([...this.#agents.values()].map((agent) => agent.shutdown()));
  }

  /** The agent of a chat, which gives its session back to the store when nobody has used it for a minute. */
  #agentOf(id: string): Agent {
    const known = this.#agents.get(id);
    if (known) return known;
    const agent = createAgent({
      ...this.#config,
      store: this.#store,
      sessionId: id,
      sessionOptions: { ...this.#config.sessionOptions, idleMs: 60_000 },
    });
    this.#agents.set(id, agent);
    return agent;
  }
}

/** A response of server-sent events, as the AI SDK reads them. */
function streamed(chunks: AsyncGenerator<unknown, void>): Response {
  const body = new ReadableStream({
    async pull(to) {
      const { value, done } = await chunks.next();
      to.enqueue(new TextEncoder().encode(`data: ${done ? "[DONE]" : JSON.stringify(value)}\n\n`));
      if (done) to.close();
    },
    cancel: async () => void (await chunks.return()),
  });
  const headers = {
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-cache",
    "x-vercel-ai-ui-message-stream": "v1",
  };
  return new Response(body, { headers });
}

const STATUS: { readonly [code: string]: number } = {
  "message/invalid": 400,
  "config/invalid": 400,
  "run/bad-results": 400,
  "run/bad-decision": 400,
  "session/not-found": 404,
  "run/stale-decision": 409,
  "run/busy": 409,
  "run/undecided": 409,
  "session/conflict": 409,
};

function refused(error: unknown): Response {
  if (!AgentError.is(error)) throw error;
  const { code, message } = error;
  return Response.json({ error: { code, message } }, { status: STATUS[code] ?? 500 });
}
