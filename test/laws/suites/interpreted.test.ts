// The agent suite, while XState interprets the chart.
import { StateMachine } from "xstate";
import { expect, test, vi } from "vitest";
import { createAgent } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { toolOf } from "../../support/agents.ts";

test("X3 in the interpreted mode XState takes every step of an agent that nobody observes", async () => {
  const steps = vi.spyOn(StateMachine.prototype, "getTransitionData");
  const model = scriptedModel([{ calls: [{ name: "ok" }] }, "done"]);
  const agent = createAgent({ name: "bot", model, tools: [toolOf("ok", () => "done")] });
  await agent.call("go");
  const asked = steps.mock.calls
    .filter(([snapshot]) => snapshot.machine.id === "agent")
    .map(([, event]) => event.type.replace(/tool\..*/u, "tool"));
  steps.mockRestore();
  expect(asked).toEqual([
    "call",
    ...["xstate.done.actor.callModel", "xstate.done.actor.tool", "xstate.done.actor.callModel"],
  ]);
});
