import {
  AgentError,
  createAgent,
  defineTool,
  toolResultMsg,
  toolResultsOf,
  type Agent,
  type AgentConfig,
  type ChatModel,
  type Hook,
  type Msg,
} from "agentchart";

/** Rounds of tool calls before the planned model answers. */
export const ROUNDS = 4;

/** What a planned tool gives for a call. */
export const valueOf = (callId: string): string => `value of ${callId}`;

/** A model that is a function of the history: asked again, in any process, it says the same. */
export const plannedModel: ChatModel = {
  name: "planned",
  async *stream({ messages, tools }) {
    const round = messages.filter(({ role }) => role === "assistant").length;
    if (tools.length === 0) yield { type: "text.delta", delta: "summed up" };
    else if (round < ROUNDS) {
      const names = ["quick", "slow", ...(round === 1 ? ["pay"] : []), ...(round === 2 ? ["ext"] : [])];
      for (const [key, name] of names.entries()) {
        yield { type: "tool.delta", key, id: `r${round}-${name}`, name, args: "{}" };
      }
    } else {
      const results = messages.flatMap((message) =>
        toolResultsOf(message).map(({ id, state }) => `${id} ${state}`),
      );
      yield { type: "text.delta", delta: results.join("; ") };
    }
    yield { type: "finish", reason: "stop" };
  },
};

/** A model that fails once, retryably, before it plays on. */
export function failingOnce(model: ChatModel): ChatModel {
  let hasFailed = false;
  return {
    name: model.name,
    stream(request, options) {
      if (hasFailed) return model.stream(request, options);
      hasFailed = true;
      throw new AgentError("model/unavailable", "503", { isRetryable: true });
    },
  };
}

/** The planned tools; `onRun` is called for every execution, `slowMs` is what `slow` takes. */
export function plannedTools(onRun: (callId: string) => void = () => {}, slowMs = 0) {
  const tool = (name: string, ms: number, fields: object = {}) =>
    defineTool({
      name,
      description: name,
      input: { type: "object" },
      execute: async (_, { callId }) => {
        onRun(callId);
        if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
        return valueOf(callId);
      },
      ...fields,
    });
  return [
    tool("quick", 0),
    tool("slow", slowMs),
    tool("pay", 0, { permission: "ask" }),
    defineTool({ name: "ext", description: "external", input: { type: "object" } }),
  ];
}

/** A hook that waits a moment at every point, so that a session can be seen in every state. */
export const pausing: Hook = Object.fromEntries([
  ["name", "pausing"],
  ...[
    "preCall",
    "preReasoning",
    "postReasoning",
    "preActing",
    "postActing",
    "preSummary",
    "postSummary",
    "preCompact",
    "postCompact",
    "postCall",
    "onInterrupt",
    "onError",
  ].map((point) => [point, () => new Promise<void>((resolve) => setImmediate(resolve))]),
]) as Hook;

export function plannedAgent(config: Partial<AgentConfig> = {}): Agent {
  return createAgent({
    name: "bot",
    model: plannedModel,
    tools: plannedTools(),
    parallelToolCalls: true,
    ...config,
  });
}

/** What a person at the desk does with whatever waits; the message to call with, if results are to be handed in. */
export async function answerAll(
  agent: Agent,
  ran: (callId: string) => boolean = () => true,
): Promise<Msg | undefined> {
  let results: Msg | undefined;
  for (const { callId, name, waitsFor, decided } of agent.status().pending) {
    if (decided) continue;
    if (waitsFor === "approval") await agent.decide(callId, "approve");
    if (waitsFor === "unknownOutcome")
      await agent.decide(callId, ran(callId) ? { answer: valueOf(callId) } : "retry");
    if (waitsFor === "externalResult") results = toolResultMsg([{ callId, name, text: valueOf(callId) }]);
  }
  return results;
}

/** Drives a session from wherever it is until its turn has an answer. */
export async function finish(agent: Agent, ran?: (callId: string) => boolean): Promise<void> {
  await agent.open();
  for (;;) {
    const { phase, reason } = agent.status();
    const isAnswered = phase === "stopped" && reason !== undefined && reason !== "ERROR";
    if (isAnswered) return;
    const isNew = (await agent.messages()).length === 0;
    const input =
      phase === "suspended" ? await answerAll(agent, ran) : isNew && phase === "stopped" ? "go" : undefined;
    await agent.call(input);
  }
}
