// src/cli/acp speaks the Agent Client Protocol with editors.
import { randomUUID } from "node:crypto";
import type {
  AgentApp,
  AgentContext,
  McpServer,
  StopReason,
  PermissionOption,
  RequestPermissionRequest,
  RequestPermissionResponse,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import type { Agent, Reply } from "../../agent/types.ts";
import { AgentError } from "../../core/base/error.ts";
import { userMsg } from "../../core/message/msg.ts";
import type { FinishReason, Msg, Reason } from "../../core/message/types.ts";
import { waitsBeforeRequest, type Decision, type PendingCall } from "../../core/tool/pending.ts";
import { acpHistory, acpInput, acpUpdates } from "./updates.ts";

type Sdk = typeof import("@agentclientprotocol/sdk");

/** An agent of a session, with what it was opened for. */
export type OpenAgent = { readonly agent: Agent; readonly close: () => Promise<void> };

/** Options of {@link acpAgent}. */
export type AcpAgentOptions = {
  /** Shown to the client. */
  readonly version: string;
  /** Opens the agent of a session, which is new or must be stored, with the tools of the MCP servers that the client names. */
  readonly open: (sessionId: string, servers: readonly McpServer[], isNew: boolean) => Promise<OpenAgent>;
};

const STOP_REASONS: { readonly [reason in Reason]?: StopReason } = {
  INTERRUPTED: "cancelled",
  MAX_ITERATIONS: "max_turn_requests",
  BUDGET_EXCEEDED: "max_turn_requests",
};
/** The reason that a client is told of an answer that did not come to its end by itself. */
const CUT: { readonly [reason in FinishReason]?: StopReason } = {
  length: "max_tokens",
  content_filter: "refusal",
  refusal: "refusal",
};

class Session {
  readonly id: string;
  readonly #opened: OpenAgent;
  readonly #cwd: string;
  /** Aborted for the prompts that have come so far when the person cancels. */
  #cancelling = new AbortController();
  #last: Promise<unknown> = Promise.resolve();

  constructor(id: string, cwd: string, opened: OpenAgent) {
    this.id = id;
    this.#cwd = cwd;
    this.#opened = opened;
  }

  get #agent(): Agent {
    return this.#opened.agent;
  }

  messages(): Promise<Msg[]> {
    return this.#agent.messages();
  }

  cancel(): void {
    this.#cancelling.abort();
    this.#cancelling = new AbortController();
    this.#agent.interrupt();
  }

  close(): Promise<void> {
    return this.#opened.close();
  }

  /** Makes a turn of a prompt, after the prompts before it. */
  prompt(content: Msg["content"], client: AgentContext): Promise<StopReason> {
    const { signal } = this.#cancelling;
    const reason = this.#last.then(() => this.#prompt(content, client, signal));
    this.#last = reason.catch(() => {});
    return reason;
  }

  /** Makes a turn of a prompt, after the one that an earlier process has left open. */
  async #prompt(content: Msg["content"], client: AgentContext, signal: AbortSignal): Promise<StopReason> {
    if (signal.aborted) return "cancelled";
    const { phase } = this.#agent.status();
    if (phase === "unfinished") await this.#turn(undefined, client, signal);
    if (phase === "suspended" && (await this.#settle(client, signal)))
      await this.#turn(undefined, client, signal);
    if (signal.aborted) return "cancelled";
    const input = userMsg("", { content: [...content] });
    const { reason, finishReason } = await this.#turn(input, client, signal);
    return STOP_REASONS[reason] ?? CUT[finishReason ?? "stop"] ?? "end_turn";
  }

  /** Runs a turn until it has ended, or waits for what no client of ACP can give it. */
  async #turn(
    input: Msg | undefined,
    client: AgentContext,
    signal: AbortSignal,
  ): Promise<Pick<Reply, "reason" | "finishReason">> {
    const updatesOf = acpUpdates();
    for (let next = input; ; next = undefined) {
      const stream = this.#agent.stream(next, { onLeave: "continue", context: { cwd: this.#cwd } as never });
      for await (const event of stream) {
        if (event.type === "turn.start" && signal.aborted) this.#agent.interrupt(); // it was cancelled before there was a turn
        for (const update of updatesOf(event))
          await client.notify("session/update", { sessionId: this.id, update });
      }
      const reply = await stream.reply;
      const { phase, waitsFor } = this.#agent.status();
      if (phase !== "suspended" || waitsBeforeRequest(waitsFor)) return reply;
      if (!(await this.#settle(client, signal))) return { reason: "INTERRUPTED" };
    }
  }

  /** Has the person decide about all that waits; false if the turn was ended instead. */
  async #settle(client: AgentContext, signal: AbortSignal): Promise<boolean> {
    const agent = this.#agent;
    if (!signal.aborted && (await decideAll(agent, client, this.id, signal)) && !signal.aborted) return true;
    const ended = Promise.withResolvers<void>();
    const stop = agent.subscribe(() => ended.resolve(), { types: ["turn.end"] });
    if (agent.status().phase !== "stopped" && agent.interrupt()) await ended.promise;
    stop();
    return false;
  }
}

/** An agent for clients of ACP, such as editors: each of their sessions is a session of an agent. */
export function acpAgent(
  sdk: Sdk,
  { version, open }: AcpAgentOptions,
): {
  readonly app: AgentApp;
  /** Stops the turns that run at their next step, and frees the sessions. */
  readonly close: () => Promise<void>;
} {
  const { agent, PROTOCOL_VERSION, RequestError } = sdk;
  const sessions = new Map<string, Session>();
  const sessionOf = (id: string): Session => {
    const found = sessions.get(id);
    if (!found) throw RequestError.invalidParams({ sessionId: id }, "there is no such session");
    return found;
  };
  /** Says the client why the agent has refused or failed. */
  const explained = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (!AgentError.is(error)) throw error;
      const { code, message } = error;
      const isRefusal = code.startsWith("run/") || code === "message/invalid";
      throw isRefusal
        ? RequestError.invalidRequest({ code }, message)
        : RequestError.internalError({ code }, message);
    }
  };
  const start = async (id: string, cwd: string, servers: readonly McpServer[], isNew = false) => {
    const former = sessions.get(id);
    sessions.delete(id);
    await former?.close();
    const session = new Session(id, cwd, await open(id, servers, isNew));
    sessions.set(id, session);
    return session;
  };
  const app = agent({ name: "agentchart" })
    .onRequest("initialize", () => ({
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: "agentchart", version },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, embeddedContext: true },
        mcpCapabilities: { http: true, sse: true },
      },
      authMethods: [],
    }))
    .onRequest("session/new", ({ params: { cwd, mcpServers } }) =>
      explained(async () => ({ sessionId: (await start(randomUUID(), cwd, mcpServers, true)).id })),
    )
    .onRequest("session/load", ({ params: { sessionId, cwd, mcpServers }, client }) =>
      explained(async () => {
        const session = await start(sessionId, cwd, mcpServers);
        for (const update of acpHistory(await session.messages()))
          await client.notify("session/update", { sessionId, update });
        return {};
      }),
    )
    .onRequest("session/prompt", ({ params: { sessionId, prompt }, client }) =>
      explained(async () => {
        const session = sessionOf(sessionId);
        const { content } = acpInput(prompt);
        if (content.length === 0)
          throw RequestError.invalidParams({ sessionId }, "the prompt has no text and no image");
        return { stopReason: await session.prompt(content, client) };
      }),
    )
    .onNotification("session/cancel", ({ params: { sessionId } }) => sessions.get(sessionId)?.cancel());
  const close = async (): Promise<void> => {
    await Promise.allSettled([...sessions.values()].map((session) => session.close()));
  };
  return { app, close };
}

type Choice = PermissionOption & { readonly decision: Decision };

const choice = (kind: PermissionOption["kind"], name: string, decision: Decision): Choice => ({
  optionId: kind,
  kind,
  name,
  decision,
});

/** Returns the choices of a person for a call; undefined for a call that waits for something else than a permission. */
function choicesFor({ name, waitsFor, path, ask }: PendingCall): readonly Choice[] | undefined {
  if (waitsFor === "unknownOutcome")
    return [choice("allow_once", "Run it again", "retry"), choice("reject_once", "Leave it", "deny")];
  if (waitsFor !== "approval" || (ask && ask.kind !== "approval")) return undefined;
  const always = choice("allow_always", `Always allow ${name}`, { approve: true, remember: "tool" });
  return [
    choice("allow_once", "Allow", "approve"),
    ...(path || ask ? [] : [always]),
    choice("reject_once", "Reject", "deny"),
  ];
}

/** Returns the decision for a person who cannot make it here: a client of ACP has no form for it. */
const notHere = ({ ask }: PendingCall): Decision =>
  ask ? { cancel: true } : { deny: "It cannot be answered in this editor." };

/** Asks the person at the client about all that waits. Returns false if the person wants no more of the turn. */
async function decideAll(
  agent: Agent,
  client: AgentContext,
  sessionId: string,
  signal: AbortSignal,
): Promise<boolean> {
  for (const call of agent.status().pending) {
    const { callId, name, input, reason, argsHash, decided, waitsFor } = call;
    if (decided || waitsFor === "stopRequested") continue;
    const choices = choicesFor(call);
    if (!choices) {
      await agent.decide(callId, notHere(call), { argsHash });
      continue;
    }
    const toolCall: ToolCallUpdate = {
      toolCallId: callId,
      title: name,
      rawInput: input,
      status: "pending",
      ...(reason !== undefined && {
        content: [{ type: "content", content: { type: "text", text: reason } }],
      }),
    };
    const options = choices.map(({ optionId, name: label, kind }) => ({ optionId, name: label, kind }));
    const request: RequestPermissionRequest = { sessionId, toolCall, options };
    const { outcome }: RequestPermissionResponse = await client.request(
      "session/request_permission",
      request,
    );
    if (outcome.outcome === "cancelled" || signal.aborted) return false;
    const chosen = choices.find(({ optionId }) => optionId === outcome.optionId);
    await agent.decide(callId, chosen?.decision ?? "deny", { argsHash });
  }
  return true;
}
