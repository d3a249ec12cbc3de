import {
  createAgent,
  defineHook,
  defineTool,
  suspend,
  textOf,
  toolResultsOf,
  toolUsesOf,
  type Agent,
  type AgentConfig,
  type Hook,
  type Msg,
} from "agentchart";
import { scriptedModel, type ScriptedModel, type ScriptedTurn } from "agentchart/testing";

/** A message in the notation of the golden traces: U1, A[text,c1], T(c1), S for system. */
export function show(message: Msg): string {
  if (message.role === "tool")
    return `T(${toolResultsOf(message)
      .map(({ id }) => id)
      .join(",")})`;
  if (message.role === "assistant") {
    const text = textOf(message);
    return `A[${[...(text === "" ? [] : [text]), ...toolUsesOf(message).map(({ id }) => id)].join(",")}]`;
  }
  return `${message.role === "user" ? "U" : "S"}[${textOf(message)}]`;
}

/** A hook that writes every point of the chart into `trace`, after all others. */
export function recorder(trace: string[]): Hook {
  return defineHook({
    name: "recorder",
    priority: 1000,
    preCall: () => void trace.push("h:preCall"),
    preReasoning: () => void trace.push("h:preReasoning"),
    postReasoning: () => void trace.push("h:postReasoning"),
    preActing: ({ call }) => void trace.push(`h:preActing(${call.id})`),
    postActing: ({ call }) => void trace.push(`h:postActing(${call.id})`),
    preSummary: () => void trace.push("h:preSummary"),
    postSummary: () => void trace.push("h:postSummary"),
    preCompact: () => void trace.push("h:preCompact"),
    postCompact: () => void trace.push("h:postCompact"),
    postCall: () => void trace.push("h:postCall"),
    onInterrupt: () => void trace.push("h:onInterrupt"),
    onError: () => void trace.push("h:onError"),
  });
}

/** An agent whose run is written down in the notation of the golden traces. */
export type Traced = { readonly agent: Agent; readonly model: ScriptedModel; readonly trace: string[] };

export function traced(turns: readonly ScriptedTurn[], config: Partial<AgentConfig> = {}): Traced {
  const trace: string[] = [];
  const script = scriptedModel(turns);
  const model: ScriptedModel = {
    ...script,
    stream(request, options) {
      trace.push(`model(${request.messages.map(show).join(" ")}|${request.tools.length})`);
      return script.stream(request, options);
    },
  };
  const run = (id: string): void => void trace.push(`run ${id}`);
  const tools = [
    defineTool({
      name: "ok",
      description: "answers",
      input: { type: "object" },
      execute: (_, { callId }) => {
        run(callId);
        return `${callId} done`;
      },
    }),
    defineTool({
      name: "boom",
      description: "throws",
      input: { type: "object" },
      execute: (_, { callId }) => {
        run(callId);
        throw new Error("boom");
      },
    }),
    defineTool({
      name: "wait",
      description: "suspends",
      input: { type: "object" },
      execute: (_, { callId }) => {
        run(callId);
        return suspend("later");
      },
    }),
    defineTool({ name: "ext", description: "is external", input: { type: "object" } }),
  ];
  const agent = createAgent({
    name: "bot",
    sysPrompt: "sys",
    model,
    tools,
    ...config,
    hooks: [...(config.hooks ?? []), recorder(trace)],
  });
  agent.subscribe((event) => {
    if (event.type === "message") trace.push(`M+${show(event.message)}`);
    if (event.type === "turn.end") trace.push(`-> ${event.reason}`);
  });
  return { agent, model, trace };
}

export const call = (id: string, name = "ok"): { id: string; name: string } => ({ id, name });
