// A machine that fails closes its agent.
import { expect, test, vi, onTestFinished } from "vitest";
import { AgentError, defineSlot, userMsg } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { agentResolver } from "../../machines/agent/agent-chart.ts";
import { DrivenSession } from "../../src/agent/create-agent.ts";
import { scripted } from "../support/agents.ts";

/** Makes the chart fail at an event of this type. */
function failAt(type: string): void {
  const next = agentResolver.next.bind(agentResolver);
  const spy = vi.spyOn(agentResolver, "next").mockImplementation((path, context, event) => {
    if (event.type === type) throw new Error("a fault");
    return next(path, context, event);
  });
  onTestFinished(() => spy.mockRestore());
}

test("a command at which the machine of the chart fails is rejected, and the agent is closed", async () => {
  failAt("session.observe");
  const { agent } = scripted(["One"]);
  const failed = { code: "run/closed", message: expect.stringContaining("a fault") };
  await expect(agent.observe(userMsg("hear"))).rejects.toMatchObject(failed);
  await expect(agent.call("1")).rejects.toMatchObject({ code: "run/closed" });
});

test("a command that finds its agent ended is rejected", async () => {
  const note = defineSlot({ name: "note", initial: "" });
  const agent = new DrivenSession({
    name: "bot",
    model: scriptedModel([]),
    sessionOptions: { slots: [note] },
  });
  const written = agent.slots.set(note, "x");
  agent.abandon(new AgentError("session/lease-lost", "Another process has the session."));
  await expect(written).rejects.toMatchObject({ code: "run/closed" });
});
