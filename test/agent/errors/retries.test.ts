// The option `retries` of a call: further attempts under one key.
import { describe, expect, test } from "vitest";
import { AgentError, type AgentConfig, type Hook, type Reply } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { toolOf } from "../../support/agents.ts";
// Not as "agentchart": an agent that is killed and restored is called again by itself, which would count as a retry.
import { createAgent } from "../../../src/index.ts";

const ONCE = { maxAttempts: 1, initialBackoffMs: 0 };
const down = { error: new AgentError("model/unavailable", "The server is down.") };
const agentOf = (turns: readonly ScriptedTurn[], more: Partial<AgentConfig> = {}) => {
  const model = scriptedModel(turns);
  return { model, agent: createAgent({ name: "bot", model, modelOptions: { execution: ONCE }, ...more }) };
};
const rolesOf = (messages: readonly { readonly role: string }[]) => messages.map(({ role }) => role);

describe("a call with retries", () => {
  test.each([undefined, memoryStore()])(
    "goes on with its turn where that has failed, and stores and runs everything once",
    async (store) => {
      let paid = 0;
      const pay = toolOf("pay", () => String(++paid));
      const { agent, model } = agentOf([{ calls: [{ name: "pay", input: {} }] }, down, down, "paid"], {
        tools: [pay],
        ...(store && { store }),
      });
      expect((await agent.call("pay", { retries: 2 })).text).toBe("paid");
      expect(paid).toBe(1);
      expect(rolesOf(await agent.messages())).toEqual(["user", "assistant", "tool", "assistant"]);
      model.done();
      await agent.close();
    },
  );

  test("fails with the last error when they are used up, and goes on later under its key", async () => {
    const { agent } = agentOf([down, down, { error: new AgentError("model/timeout", "Too slow.") }, "ok"]);
    const options = { retries: 2, idempotencyKey: "k" };
    await expect(agent.call("go", options)).rejects.toMatchObject({ code: "model/timeout" });
    expect((await agent.call("go", options)).text).toBe("ok");
    expect(rolesOf(await agent.messages())).toEqual(["user", "assistant"]);
  });

  test("without an input goes on too", async () => {
    const { agent } = agentOf([down, down, "ok"]);
    await expect(agent.call("go")).rejects.toMatchObject({ code: "model/unavailable" });
    expect((await agent.call([], { retries: 1 })).text).toBe("ok");
  });

  const failing = (code: "hook/failed" | "hook/bad-return"): Hook => {
    let runs = 0;
    return {
      name: "h",
      postReasoning: () => {
        if (runs++ > 0) return undefined;
        if (code === "hook/failed") throw new Error("no");
        return { wrong: 1 } as never;
      },
    };
  };

  test.each<readonly [string, number, readonly ScriptedTurn[], Partial<AgentConfig>]>([
    ["a hook that failed", 2, ["a", "b"], { hooks: [failing("hook/failed")] }],
    ["an empty answer", 4, ["", "", "", "b"], {}],
  ])("is made again after %s", async (_, requests, turns, config) => {
    const { agent, model } = agentOf(turns, config);
    expect((await agent.call("go", { retries: 1 })).text).toBe("b");
    expect(model.requests).toHaveLength(requests);
  });

  test.each<readonly [string, readonly ScriptedTurn[], Partial<AgentConfig>]>([
    ["model/auth", [{ error: new AgentError("model/auth", "No key.") }, "b"], {}],
    ["model/bad-request", [{ error: new AgentError("model/bad-request", "What?") }, "b"], {}],
    ["hook/bad-return", ["a", "b"], { hooks: [failing("hook/bad-return")] }],
  ])("is not made again after %s", async (code, turns, config) => {
    const { agent, model } = agentOf(turns, config);
    await expect(agent.call("go", { retries: 3 })).rejects.toMatchObject({ code });
    expect(model.requests).toHaveLength(1);
  });

  const slow = {
    modelOptions: { execution: { maxAttempts: 1, initialBackoffMs: 600_000, maxBackoffMs: 600_000 } },
  };

  test("is ended in between by its signal, and by its time-out", async () => {
    const controller = new AbortController();
    const first = agentOf([down, "late"], slow).agent;
    first.subscribe(() => controller.abort(), { types: ["turn.end"] });
    const call = first.call("go", { retries: 1, signal: controller.signal });
    await expect(call).rejects.toMatchObject({ code: "run/aborted" });
    const { agent } = agentOf([down, "late"], slow);
    await expect(agent.call("go", { retries: 1, timeoutMs: 30 })).rejects.toMatchObject({
      code: "run/timeout",
    });
    const late = agentOf([down, "late"], slow).agent;
    const reply = await late.call("go", { retries: 1, timeoutMs: 30, fallbackReply: "Later." });
    expect(reply).toMatchObject({ text: "Later.", reason: "INTERRUPTED" });
  });

  test("is ended by its time-out too while the turn of another call runs before its next attempt", async () => {
    let asked = 0;
    const model: AgentConfig["model"] = {
      name: "m",
      async *stream(_, { signal }) {
        if (asked++ < 2) throw down.error;
        yield { type: "text.delta", delta: "thinking" };
        await new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
        });
      },
    };
    const turnOptions = { interruptGraceMs: 10_000 };
    const agent = createAgent({ name: "bot", model, modelOptions: { execution: ONCE }, turnOptions });
    await expect(agent.call("one")).rejects.toMatchObject({ code: "model/unavailable" });
    const second = Promise.withResolvers<Reply>();
    const options = { retries: 1, timeoutMs: 50, fallbackReply: "Later.", whenBusy: "queue" } as const;
    agent.subscribe(() => second.resolve(agent.call("two", { whenBusy: "queue" })), { types: ["turn.end"] });
    const started = Date.now();
    expect(await agent.call([], options)).toMatchObject({ text: "Later." });
    expect(Date.now() - started).toBeLessThan(5_000);
    expect(agent.status().phase).toBe("running");
    agent.interrupt();
    expect((await second.promise).reason).toBe("INTERRUPTED");
  });

  test("waits until the time that an error names", async () => {
    const retryAt = Date.now() + 40;
    const { agent } = agentOf([{ error: new AgentError("model/rate-limit", "Slow.", { retryAt }) }, "ok"]);
    await agent.call("go", { retries: 1 });
    expect(Date.now()).toBeGreaterThanOrEqual(retryAt);
  });

  test.each([[-1], [1.5], ["2"]])(
    "is refused with %j of them, and so is a stream with some",
    async (retries) => {
      const { agent } = agentOf([]);
      await expect(agent.call("go", { retries } as never)).rejects.toMatchObject({ code: "config/invalid" });
      await expect(agent.stream("go", { retries: 1 } as never).reply).rejects.toThrow(
        "`retries` is an option of call()",
      );
    },
  );
});
