import type {
  CallToolResult,
  ClientCapabilities,
  InputRequiredResult,
  McpServer,
  ServerContext,
} from "@modelcontextprotocol/server";
import { AgentError } from "../core/base/error.ts";
import type { JsonObject } from "../core/base/json.ts";
import { missingPackage } from "../core/base/missing-package.ts";
import { userMsg } from "../core/message/msg.ts";
import type { PendingCall } from "../core/tool/pending.ts";
import { lacking } from "./authenticate.ts";
import type { Access } from "./tokens.ts";
import type { ServerOptions } from "./options.ts";
import { decisionOf, questionOf } from "./mcp-asks.ts";
import { RequestError } from "./request-error.ts";
import { restOf, type Rest } from "./mcp-turn.ts";
import { TenantSessions } from "./tenant-sessions.ts";

/** Imports the optional package when it is first needed. Rejects with `config/invalid` if it is not installed. */
export async function loadMcpServer() {
  const name = "@modelcontextprotocol/server";
  return import("@modelcontextprotocol/server").catch(missingPackage("Serving MCP", name));
}

type Loaded = Awaited<ReturnType<typeof loadMcpServer>>;

/** The signed data that the host carries while a person decides: the questions as they were asked. */
type Asked = {
  readonly agent: string;
  readonly session: string;
  /** The id and the arguments' hash of the call behind each key. */
  readonly calls: { readonly [key: string]: readonly [callId: string, argsHash: string] };
};

/** The options that the tools of all connections share. */
export type McpToolOptions = Pick<ServerOptions, "dispatcher" | "store"> & {
  readonly mcp: NonNullable<ServerOptions["mcp"]>;
};

const INPUT = {
  type: "object",
  properties: {
    message: {
      type: "string",
      description: "What the agent is asked. Leave it out to go on with a session that waits.",
    },
    session: {
      type: "string",
      pattern: "^[A-Za-z0-9_.-]{1,128}$",
      description: "The `sessionId` of an earlier result, to go on with that conversation.",
    },
  },
  additionalProperties: false,
} as const satisfies JsonObject;

const OUTPUT = {
  type: "object",
  properties: {
    sessionId: { type: "string" },
    reason: { type: "string" },
    waitsFor: { type: "array", items: { type: "string" } },
  },
  required: ["sessionId"],
} as const satisfies JsonObject;

/** Returns the part of an error that a host may read: not what a store or a queue says. */
function errorText(error: unknown): string {
  const isOurs = AgentError.is(error) && !/^(store|queue)\//.test(error.code);
  return isOurs || error instanceof RequestError ? error.message : "The server has failed.";
}

/** The key under which a request of the revision 2026-07-28 says what its client can do. */
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

type Input = { readonly message?: string; readonly session?: string };

/** Makes servers whose tools are agents, each for one client with an access. */
export function mcpServers(
  { McpServer: Server, fromJsonSchema, inputRequired, createRequestStateCodec }: Loaded,
  options: McpToolOptions,
) {
  const { key, ttlSeconds = 7 * 24 * 3600, agents } = options.mcp;

  return (access: Access): McpServer => {
    const codec = createRequestStateCodec<Asked>({ key, ttlSeconds, bind: () => access.tenant });
    const server = new Server(
      { name: "agentchart", version: "1" },
      { requestState: { verify: codec.verify } },
    );
    const sessions = new TenantSessions(access.tenant, options);

    const result = ({ session, reason, text, pending }: Rest): CallToolResult => {
      const waits = pending.map(
        ({ name, callId, reason: why }) => `${name} (${callId})${why ? `: ${why}` : ""}`,
      );
      const advice = `The session ${session} waits for a person: ${waits.join("; ")}. A person answers it over HTTP, or in a host that can show forms.`;
      const shown =
        waits.length > 0 ? [text, advice].filter(Boolean).join("\n") : text || `The turn ended: ${reason}.`;
      return {
        content: [{ type: "text", text: shown }],
        structuredContent: {
          sessionId: session,
          ...(reason && { reason }),
          ...(waits.length > 0 && { waitsFor: waits }),
        },
      };
    };

    /** Asks the person at the host, if the token allows to decide and the host can ask. */
    const answerOrAsk = async (
      agent: string,
      rest: Rest,
      ctx: ServerContext,
    ): Promise<CallToolResult | InputRequiredResult> => {
      const said = (ctx.mcpReq.envelope as { readonly [key: string]: unknown } | undefined)?.[CAPABILITIES];
      const capabilities = (said as ClientCapabilities | undefined) ?? server.server.getClientCapabilities();
      const canAsk = access.scopes.includes("decide") && capabilities?.elicitation !== undefined;
      if (rest.pending.length === 0 || !canAsk) return result(rest);
      const asked = rest.pending.map((call, index) => [`ask_${index + 1}`, call] as const);
      const calls = Object.fromEntries(
        asked.map(([id, { callId, argsHash }]) => [id, [callId, argsHash] as const]),
      );
      return inputRequired({
        requestState: await codec.mint({ agent, session: rest.session, calls }, ctx),
        inputRequests: Object.fromEntries(asked.map(([id, call]) => [id, questionOf(agent, call)])),
      });
    };

    const following = (session: string, after: number, { mcpReq }: ServerContext) => {
      const progressToken = mcpReq._meta?.progressToken;
      let progress = 0;
      const onProgress = (message: string): void => {
        if (progressToken === undefined) return;
        const params = { progressToken, progress: ++progress, message };
        void mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
      };
      return { session, after, signal: mcpReq.signal, onProgress };
    };

    /** Applies the answers to the questions as they were asked, and goes on once nothing is open. */
    const goOn = async ({ agent, session, calls }: Asked, ctx: ServerContext) => {
      if (!access.scopes.includes("decide")) throw lacking("decide");
      const { pending, seq, reason } = await sessions.status(session);
      const isOpen = (call: PendingCall): boolean => call.decided === undefined;
      const responses = ctx.mcpReq.inputResponses ?? {};
      const decided = new Set<string>();
      for (const [id, [callId, argsHash]] of Object.entries(calls)) {
        const call = pending.find(
          (each) => each.callId === callId && each.argsHash === argsHash && isOpen(each),
        );
        const decision = call && decisionOf(call, responses[id]);
        if (!decision) continue;
        await sessions.decide(session, callId, decision, { argsHash, by: `${access.name} (MCP)` });
        decided.add(callId);
      }
      const open = pending.filter((call) => isOpen(call) && !decided.has(call.callId));
      const rest: Rest = { session, text: "", pending: open, ...(reason && { reason }) };
      if (decided.size === 0 || open.length > 0) return result(rest);
      return answerOrAsk(agent, await restOf(sessions, following(session, seq, ctx)), ctx);
    };

    const ask = async (agent: string, { message, session }: Input, ctx: ServerContext) => {
      if (session === undefined) {
        if (!message) throw new AgentError("message/invalid", "Give a `message`.");
        const { id } = await sessions.create(message, { agent, meta: { channel: "mcp" } });
        return answerOrAsk(agent, await restOf(sessions, following(id, 0, ctx)), ctx);
      }
      const { seq, pending, reason, agent: owner, phase, inputs } = await sessions.status(session);
      if (owner !== agent) throw new AgentError("session/not-found", `Session not found: ${session}`);
      const open = pending.filter(({ decided }) => decided === undefined);
      if (open.length > 0 && !message)
        return answerOrAsk(agent, { session, text: "", pending: open, ...(reason && { reason }) }, ctx);
      if (open.length > 0)
        throw new AgentError(
          "run/pending",
          `Session ${session} waits for a person: call again without a message.`,
        );
      if (!message)
        throw new AgentError("message/invalid", "Give a `message`: the session waits for nothing else.");
      const said = userMsg(message);
      const { inputId } = await sessions.dispatch(session, (to, sessionId) => to.dispatch(sessionId, said));
      const behind = phase === "stopped" && inputs === 0 ? undefined : { inputId, messageId: said.id };
      return answerOrAsk(agent, await restOf(sessions, { ...following(session, seq, ctx), behind }), ctx);
    };

    for (const [agent, description] of Object.entries(agents))
      server.registerTool(
        agent,
        {
          description,
          inputSchema: fromJsonSchema<Input>(INPUT),
          outputSchema: fromJsonSchema(OUTPUT),
          annotations: { openWorldHint: true },
        },
        async (input: Input, ctx: ServerContext) => {
          try {
            const asked = ctx.mcpReq.requestState<Asked>();
            if (asked && asked.agent === agent) return await goOn(asked, ctx);
            if (!access.scopes.includes("write")) throw lacking("write");
            return await ask(agent, input, ctx);
          } catch (error) {
            return { isError: true, content: [{ type: "text" as const, text: errorText(error) }] };
          }
        },
      );
    return server;
  };
}
