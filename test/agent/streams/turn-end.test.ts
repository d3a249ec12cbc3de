// The event `turn.end` when an agent shuts down.
import { setTimeout as sleep } from "node:timers/promises";
import { AgentError, type Agent, type AgentEvent } from "agentchart";
import { expect, test } from "vitest";
import { memoryStore } from "../../../src/store/memory.ts";
import { eventsProblem } from "../../support/paired-events.ts";
import { scripted, toolOf } from "../../support/agents.ts";

const one = { calls: [{ name: "deaf", input: {} }] };
const lost = new AgentError("session/lease-lost", "Taken over.");

async function streamed(agent: Agent): Promise<{ readonly events: AgentEvent[]; readonly error: unknown }> {
  const events: AgentEvent[] = [];
  try {
    for await (const event of agent.stream("go")) events.push(event);
    return { events, error: undefined };
  } catch (error) {
    return { events, error };
  }
}

const ends = (events: readonly AgentEvent[]) => events.filter(({ type }) => type === "turn.end");

test("a shutdown past its deadline ends an open stream with turn.end", async () => {
  const started = Promise.withResolvers<void>();
  const deaf = toolOf("deaf", () => (started.resolve(), new Promise(() => {})));
  const { agent } = scripted([one], { tools: [deaf] });
  const reading = streamed(agent);
  await started.promise;
  await agent.shutdown({ deadlineMs: 20 });
  const { events, error } = await reading;
  expect(error).toMatchObject({ code: "run/shutdown" });
  expect(eventsProblem(events)).toBeUndefined();
  expect(events.at(-2)).toMatchObject({ type: "tool.end", result: { code: "tool/outcome-unknown" } });
  expect(events.at(-1)).toMatchObject({
    type: "turn.end",
    reason: "SHUTDOWN",
    error: { code: "run/shutdown" },
  });
});

test("a shutdown emits no tool.end for a call that ran in another process", async () => {
  const started = Promise.withResolvers<void>();
  const deaf = toolOf("deaf", () => (started.resolve(), new Promise(() => {})));
  const turnOptions = { interruptGraceMs: 1 };
  const config = { tools: [deaf], turnOptions };
  const { agent: first } = scripted([one], config);
  const running = first.call("go").catch(() => {});
  await started.promise;
  const { agent } = scripted([], { ...config, sessionOptions: { snapshot: first.snapshot() } });
  const events: AgentEvent[] = [];
  agent.subscribe((event) => void events.push(event));
  await agent.shutdown();
  expect(events).toEqual([]);
  await first.close();
  await running;
});

test("a shutdown within its deadline ends an open stream with one turn.end", async () => {
  const started = Promise.withResolvers<void>();
  const slow = toolOf("deaf", () => (started.resolve(), sleep(40, "ok")));
  const { agent } = scripted([one], { tools: [slow] });
  const reading = streamed(agent);
  await started.promise;
  await agent.shutdown({ deadlineMs: 30_000 });
  const { events } = await reading;
  expect(ends(events)).toHaveLength(1);
  expect(events.at(-1)).toMatchObject({ type: "turn.end", reason: "SHUTDOWN" });
});

test("a lost lease ends an open stream with turn.end", async () => {
  const store = memoryStore();
  const deaf = toolOf("deaf", () => {
    store.renew = () => Promise.reject(lost);
    return new Promise(() => {});
  });
  const { agent } = scripted([one], {
    tools: [deaf],
    store,
    sessionId: "s",
    sessionOptions: { leaseMs: 600 },
  });
  const reading = streamed(agent);
  const { events, error } = await reading;
  expect(error).toMatchObject({ code: "session/lease-lost" });
  expect(ends(events)).toHaveLength(1);
  expect(events.at(-1)).toMatchObject({
    type: "turn.end",
    reason: "ERROR",
    error: { code: "session/lease-lost" },
  });
});
