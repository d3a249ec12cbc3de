// Time-outs of tools that make no progress.
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { defineTool, type Tool } from "agentchart";
import { outputOf, resultsOf, scripted, toolOf } from "../../support/agents.ts";

const one = { calls: [{ name: "t", input: {} }] };

test("a tool without progress for idleTimeoutMs times out, and its signal aborts", async () => {
  let signal: AbortSignal | undefined;
  const silent = toolOf("t", (_, ctx) => ((signal = ctx.signal), new Promise(() => {})), {
    execution: { idleTimeoutMs: 30 },
  });
  const { agent } = scripted([one, "done"], { tools: [silent] });
  expect((await agent.call("go")).text).toBe("done");
  const [result] = resultsOf(await agent.messages());
  expect(result).toMatchObject({ state: "error", code: "tool/timeout" });
  expect(outputOf(result)).toContain("said nothing for 30 ms");
  expect(signal?.aborted).toBe(true);
});

test("a tool that reached its idle time-out is retried up to maxAttempts", async () => {
  let attempts = 0;
  const twice = toolOf("t", () => (++attempts < 2 ? new Promise(() => {}) : "ok"), {
    execution: { idleTimeoutMs: 20, maxAttempts: 3, initialBackoffMs: 1 },
  });
  const { agent } = scripted([one, "done"], { tools: [twice] });
  await agent.call("go");
  expect(attempts).toBe(2);
  expect(outputOf(resultsOf(await agent.messages())[0])).toBe("ok");
});

test("retryOn decides about a tool that reached its idle time-out", async () => {
  const codes: string[] = [];
  const silent = toolOf("t", () => new Promise(() => {}), {
    execution: { idleTimeoutMs: 20, maxAttempts: 2, retryOn: ({ code }) => codes.push(code) > 1 },
  });
  await scripted([one, "done"], { tools: [silent] }).agent.call("go");
  expect(codes).toEqual(["tool/timeout"]);
});

test("every emit and every yield restarts the idle time-out of a tool", async () => {
  const execution = { idleTimeoutMs: 400 };
  const emits = toolOf(
    "t",
    async (_, { emit }) => {
      for (let i = 0; i < 8; i++) await sleep(60).then(() => emit("."));
      return "emitted";
    },
    { execution },
  );
  const yields = defineTool({
    name: "u",
    description: "u",
    input: { type: "object" },
    execution,
    async *execute() {
      for (let i = 0; i < 8; i++) yield await sleep(60, ".");
      return "yielded";
    },
  }) as Tool;
  const both = { calls: [one.calls[0]!, { name: "u", input: {} }] };
  const { agent } = scripted([both, "done"], { tools: [emits, yields], parallelToolCalls: true });
  await agent.call("go");
  expect(resultsOf(await agent.messages()).map(outputOf)).toEqual(["emitted", "yielded"]);
});

test("an interrupted tool has the result of an interrupt, not of an idle time-out", async () => {
  const started = Promise.withResolvers<void>();
  const silent = toolOf("t", () => (started.resolve(), new Promise(() => {})), {
    execution: { idleTimeoutMs: 60 },
  });
  const { agent } = scripted([one, "done"], { tools: [silent], turnOptions: { interruptGraceMs: 120 } });
  const call = agent.call("go");
  await started.promise;
  agent.interrupt();
  expect((await call).reason).toBe("INTERRUPTED");
  expect(resultsOf(await agent.messages())[0]?.state).toBe("interrupted");
});
