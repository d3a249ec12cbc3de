// Hooks that never end do not keep a call, an interrupt or a close from ending.
import { createAgent, textOf } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { expect, test } from "vitest";
import { HeldModel } from "../../e2e/support/held-model.ts";

const never = (): Promise<void> => new Promise(() => {});

test("an `onInterrupt` hook that never ends holds the agent for the grace period only", async () => {
  const held = new HeldModel();
  let signal: AbortSignal | undefined;
  const agent = createAgent({
    name: "bot",
    model: held.model,
    turnOptions: { interruptGraceMs: 50 },
    hooks: [
      {
        name: "deaf",
        onInterrupt: (event) => {
          ({ signal } = event);
          return never();
        },
      },
    ],
  });
  const reply = agent.call("go");
  await held.requested(1);
  expect(agent.interrupt()).toBe(true);
  expect((await reply).reason).toBe("INTERRUPTED");
  expect(signal?.aborted).toBe(true);
  const again = agent.call("and now?");
  await held.requested(2);
  held.send({ type: "text.delta", delta: "Here." }, { type: "finish", reason: "stop" });
  expect((await again).text).toBe("Here.");
  await agent.close();
});

test("a call with a time-out and a fallback reply ends, whatever `onInterrupt` does", async () => {
  const held = new HeldModel();
  const agent = createAgent({
    name: "bot",
    model: held.model,
    turnOptions: { interruptGraceMs: 20 },
    hooks: [{ name: "deaf", onInterrupt: never }],
  });
  const reply = await agent.call("go", { timeoutMs: 50, fallbackReply: "Later, please." });
  expect(reply.text).toBe("Later, please.");
  await agent.close();
});

test("an interrupt and close() leave an `onError` hook that never ends, and the turn keeps its error", async () => {
  const entered = Promise.withResolvers<void>();
  const agent = createAgent({
    name: "bot",
    model: scriptedModel([[{ type: "finish", reason: "content_filter" }], "Here."]),
    hooks: [
      {
        name: "deaf",
        onError: () => {
          entered.resolve();
          return never();
        },
      },
    ],
  });
  const failed = agent.call("go");
  await entered.promise;
  expect(agent.interrupt("never mind")).toBe(true);
  await expect(failed).rejects.toMatchObject({ code: "model/content-filter" });
  expect(
    (await agent.messages()).map(({ role, ...message }) => `${role}: ${textOf(message as never)}`),
  ).toEqual(["user: go", "user: never mind"]);
  expect((await agent.call("and now?")).text).toBe("Here.");
  await agent.close();
});
