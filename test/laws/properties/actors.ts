import { setImmediate as tick } from "node:timers/promises";
import {
  AgentError,
  assistantMsg,
  suspend,
  toolResultMsg,
  toolUsesOf,
  userMsg,
  type ChatModel,
  type Hook,
  type ModelRequest,
  type StreamPart,
  type Tool,
} from "agentchart";
import { toolOf, untilAborted } from "../../support/agents.ts";
import type { HookDeed, Scenario, Turn } from "./scenario.ts";

const ARGS = { good: '{"x":1}', half: '{"x":', list: "[1]", none: "" } as const;
const text = (delta: string): StreamPart => ({ type: "text.delta", delta });

async function* speak(turn: Turn, nth: number, signal: AbortSignal): AsyncGenerator<StreamPart> {
  switch (turn.kind) {
    case "text":
      if (turn.thinking) yield { type: "thinking.delta", delta: "hm" };
      yield text("an");
      await tick();
      yield text("swer");
      return yield { type: "finish", reason: "stop" };
    case "calls":
      if (turn.text) yield text("let me");
      for (const [key, { tool, id, args }] of turn.calls.entries()) {
        const given = { own: { id: `c${nth}.${key}` }, same: { id: "same" }, empty: { id: "" } }[id];
        const said =
          tool === "generate_response" && args === "good" ? '{"response":{"city":"Rome"}}' : ARGS[args];
        yield { type: "tool.delta", key, name: tool, ...given };
        if (key === 1) await tick();
        yield { type: "tool.delta", key, args: said.slice(0, 3) };
        yield { type: "tool.delta", key, args: said.slice(3) };
      }
      return yield { type: "finish", reason: turn.finish };
    case "thinking only":
      yield { type: "thinking.delta", delta: "hm" };
      return yield { type: "finish", reason: "stop" };
    case "empty":
      return yield { type: "finish", reason: "stop" };
    case "silent":
      yield text("and");
      await untilAborted(signal);
      return;
    case "error":
      if (turn.after === "text") yield text("half");
      if (turn.after === "half a call")
        yield { type: "tool.delta", key: 0, id: `c${nth}.0`, name: "ok", args: '{"x' };
      await tick();
      throw new AgentError("model/unavailable", "down", { isRetryable: turn.isRetryable });
  }
}

/** A model that plays the turns and then always answers with text; every request is shown to `asked`. */
export function modelOf(turns: readonly Turn[], asked: (request: ModelRequest) => void): ChatModel {
  let nth = 0;
  return {
    name: "random",
    stream(request, { signal }) {
      asked(request);
      const turn = request.tools.length === 0 ? undefined : turns[nth++];
      return speak(turn ?? { kind: "text", thinking: false }, nth, signal);
    },
  };
}

/** Tools that do what their name says; every run is shown to `ran`. */
export function toolsOf(ran: (callId: string) => void): Tool[] {
  const flaky = new Set<string>();
  const does: { readonly [name: string]: NonNullable<Parameters<typeof toolOf>[1]> } = {
    ok: () => "fine",
    ask: () => "paid",
    slow: async () => {
      await tick();
      await tick();
      return { at: "last" };
    },
    throws: () => {
      throw new Error("boom");
    },
    flaky: (_, { callId }) => {
      if (flaky.has(callId)) return "second time";
      flaky.add(callId);
      throw new Error("first time");
    },
    suspends: () => suspend("later"),
    nothing: (() => undefined) as never,
    deaf: () => new Promise<string>(() => {}),
    chatty: async (_, { emit, signal }) => {
      emit("one");
      await Promise.race([tick(), untilAborted(signal).catch(() => {})]);
      emit("two");
      void tick().then(() => emit("too late"));
      return "said";
    },
  };
  const tools = Object.entries(does).map(([name, execute]) =>
    toolOf(
      name,
      (input, ctx) => {
        ran(ctx.callId);
        return execute(input, ctx);
      },
      {
        ...(name === "flaky" && { execution: { maxAttempts: 2, initialBackoffMs: 1 } }),
        ...(name === "slow" && { idempotent: true, maxParallel: 1 }),
      },
    ),
  );
  return [...tools, toolOf("ext")];
}

type Deeds = { readonly [point: string]: { readonly [deed: string]: (event: never) => unknown } };

/** Hooks that each do one thing, once; every run of a hook takes a microtask. */
export function hooksOf(deeds: readonly HookDeed[], interrupt: () => void): Hook[] {
  const calls = (n: number) => ({ type: "tool_use", id: `hook-${n}`, name: "ok", input: {} }) as const;
  let added = 0;
  const common = {
    interrupt: () => interrupt(),
    throw: () => {
      throw new Error("hook");
    },
    nonsense: () => "nonsense",
  };
  const does: Deeds = {
    preCall: { "add input": ({ input }: { input: [] }) => ({ input: [...input, userMsg("by a hook")] }) },
    preReasoning: {
      append: () => ({ append: [userMsg("hint")] }),
      "other system": () => ({ system: "other" }),
    },
    preSummary: { append: () => ({ append: [userMsg("hint")] }) },
    postReasoning: {
      stop: () => ({ stop: true }),
      goto: () => ({ goto: [userMsg("again")] }),
      "goto with results": ({ message }: Parameters<NonNullable<Hook["postReasoning"]>>[0]) => ({
        goto: [
          toolResultMsg(
            toolUsesOf(message)
              .map(({ id, name }) => ({ callId: id, name, text: "by a hook" }))
              .toReversed(),
          ),
          userMsg("again"),
        ].filter(({ content }) => content.length > 0),
      }),
      "drop calls": ({ message }: Parameters<NonNullable<Hook["postReasoning"]>>[0]) => ({
        message: { ...message, content: assistantMsg("instead").content },
      }),
      "add a call": ({ message }: Parameters<NonNullable<Hook["postReasoning"]>>[0]) => ({
        message: { ...message, content: [...message.content, calls(++added)] },
      }),
    },
    preActing: { deny: () => ({ deny: "no" }), "other input": () => ({ input: { y: 2 } }) },
    postActing: {
      stop: () => ({ stop: true }),
      "other result": () => ({ result: { output: [{ type: "text", text: "changed" }] } }),
    },
    postSummary: {
      "other text": ({ message }: { message: object }) => ({
        message: { ...message, content: assistantMsg("sum").content },
      }),
    },
    postCall: {
      "other reply": ({ reply }: { reply: object }) => ({
        reply: { ...reply, content: assistantMsg("reply").content },
      }),
    },
  };
  return deeds.map(({ point, nth, deed }, index): Hook => {
    let runs = 0;
    const act = async (event: never): Promise<unknown> => {
      await Promise.resolve();
      if (++runs !== nth) return undefined;
      return (does[point]?.[deed] ?? common[deed as keyof typeof common])(event);
    };
    return { name: `hook ${index}`, [point]: act };
  });
}

/** What differs from the defaults so that nothing takes long. */
export function limitsOf(scenario: Scenario) {
  const { modelCalls, onExceeded, parallelToolCalls, maxIters, maxGotos, onTextWhilePending } = scenario;
  return {
    parallelToolCalls,
    maxIters,
    turnOptions: { maxGotos, onTextWhilePending, interruptGraceMs: 3 },
    modelOptions: { execution: { timeoutMs: 200, idleTimeoutMs: 8, maxAttempts: 2, initialBackoffMs: 1 } },
    toolOptions: { execution: { timeoutMs: 10 } },
    permissions: { rules: [{ tool: "ask", action: "ask" as const }] },
    ...(modelCalls !== undefined && { budget: { modelCalls, onExceeded } }),
  };
}
