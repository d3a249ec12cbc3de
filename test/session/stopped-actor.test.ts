// Somebody stops the actor of an agent, as XState lets one: the agent has ended, and nobody waits for it in vain.
import { expect, test, vi } from "vitest";
import { scripted, toolOf, untilAborted } from "../support/agents.ts";

test.each(["while a tool runs", "while it rests"])("an actor that is stopped %s", async (when) => {
  const warned = vi.spyOn(console, "warn");
  const started = Promise.withResolvers<void>();
  const wait = (signal: AbortSignal): Promise<string> => (started.resolve(), untilAborted(signal));
  const slow = toolOf("slow", (_, { signal }) => wait(signal), { execution: { timeoutMs: 100 } });
  const { agent } = scripted([{ calls: [{ id: "c", name: "slow" }] }, "done"], { tools: [slow] });
  const { actor } = agent;
  if (when === "while a tool runs") {
    const reply = agent.call("go");
    await started.promise;
    actor.stop();
    await expect(reply).rejects.toMatchObject({
      code: "run/closed",
      message: "The agent's actor was stopped.",
    });
  } else actor.stop();
  await expect(agent.call("again")).rejects.toMatchObject({ code: "run/closed" });
  expect(actor.getSnapshot().status).toBe("stopped");
  await agent.close();
  await new Promise((resolve) => setTimeout(resolve, 200)); // the time limit of the tool has passed: nothing is sent to the actor
  expect(warned.mock.calls).toEqual([]);
});
