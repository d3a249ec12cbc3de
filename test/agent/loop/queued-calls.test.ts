// Calls that wait for a running one, and when they begin.
import { expect, test } from "vitest";
import type { StreamPart } from "agentchart";
import { scripted, toolOf } from "../../support/agents.ts";

const codeOf = (error: { readonly code: string }): string => error.code;

/** A model turn that lasts until it is let go. */
function held() {
  const gate = Promise.withResolvers<void>();
  const entered = Promise.withResolvers<void>();
  async function* turn(_: unknown, signal: AbortSignal): AsyncGenerator<StreamPart> {
    entered.resolve();
    signal.addEventListener("abort", () => gate.resolve(), { once: true });
    await gate.promise;
    yield { type: "text.delta", delta: "held" };
    yield { type: "finish", reason: "stop" };
  }
  return { turn, entered: entered.promise, letGo: () => gate.resolve() };
}

test("a queued call waits for running onInterrupt hooks", async () => {
  const hears = Promise.withResolvers<void>();
  const { agent } = scripted([{ calls: [{ id: "c1", name: "clerk" }] }, "done"], {
    tools: [toolOf("clerk")],
    hooks: [{ name: "slow", onInterrupt: () => hears.promise }],
  });
  await agent.call("go");
  expect(agent.interrupt()).toBe(true);
  const queued = agent.call("next", { whenBusy: "queue" });
  hears.resolve();
  expect((await queued).text).toBe("done");
});

test.each([
  ["close", "INTERRUPTED", "run/closed"],
  ["shutdown", "MODEL_STOP", "run/shutdown"],
] as const)("a queued call does not begin after %s", async (how, reason, code) => {
  const first = held();
  const { agent, model } = scripted([first.turn, "second"]);
  const running = agent.call("one");
  const queued = agent.call("two", { whenBusy: "queue" }).catch(codeOf);
  await first.entered;
  const ended = agent[how]();
  if (how === "shutdown") first.letGo();
  await ended;
  expect((await running).reason).toBe(reason);
  expect(await queued).toBe(code);
  expect(model.requests).toHaveLength(1);
});
