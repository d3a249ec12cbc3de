// Operations that find their turn or session ended.
import { expect, test } from "vitest";
import { textOf, toolResultsOf, userMsg, type Agent } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { scripted, toolOf } from "../support/agents.ts";
import { call } from "../support/trace.ts";
import { failureOf } from "../support/failure.ts";

test.each<[string, (agent: Agent) => Promise<unknown>]>([
  ["message that was observed", (agent) => agent.observe(userMsg("Known?"))],
  ["decision", (agent) => agent.decide("a", "approve")],
  ["extended budget", (agent) => agent.extendBudget({ modelCalls: 1 })],
])("A %s that comes too late for an agent that is shut down is refused, not lost", async (_, tell) => {
  const store = memoryStore();
  const tools = [toolOf("pay", () => "paid", { permission: "ask" })];
  const { agent } = scripted([{ calls: [call("a", "pay")] }], { store, sessionId: "s", tools });
  await agent.call("Pay");
  const rejected = failureOf(tell(agent));
  await agent.shutdown();
  expect(await rejected).toMatchObject({ code: "run/closed" });
});

test("A saved session is not loaded into a turn that began while it was read", async () => {
  const store = memoryStore();
  const { agent: saved } = scripted(["Saved"]);
  await saved.call("Hello");
  await saved.saveTo(store, "k");
  const { agent } = scripted(["Own"]);
  const loaded = failureOf(agent.loadFrom(store, "k"));
  const reply = agent.call("Hi");
  expect(await loaded).toMatchObject({ code: "run/busy" });
  expect((await reply).text).toBe("Own");
  expect((await agent.messages()).map(textOf)).toEqual(["Hi", "Own"]);
});

test("A call that was refused while the agent was shut down leaves nothing behind for the next process", async () => {
  const store = memoryStore();
  const hearing = Promise.withResolvers<void>();
  const refusing = {
    name: "refusing",
    preCall: () => {
      throw new Error("no");
    },
    onError: () => (hearing.resolve(), new Promise<void>(() => {})),
  };
  const session = { store, sessionId: "s", sessionOptions: { durability: "turn" as const } };
  const { agent: first } = scripted([], { ...session, hooks: [refusing] });
  const refused = failureOf(first.call("Hello"));
  await hearing.promise;
  await first.shutdown({ deadlineMs: 1 });
  expect(await refused).toMatchObject({ code: "run/shutdown" });
  const { agent } = scripted(["Hi"], session);
  expect((await agent.call("Again")).text).toBe("Hi");
  expect((await agent.messages()).map(textOf)).toEqual(["Again", "Hi"]);
  await agent.close();
});

test("A shutdown without a deadline lets the turn reach its next commit point, however long that takes", async () => {
  const running = Promise.withResolvers<void>();
  const slow = toolOf("slow", async () => {
    running.resolve();
    await new Promise((resolve) => setTimeout(resolve, 50));
    return "done";
  });
  const { agent } = scripted([{ calls: [call("a", "slow")] }, "Later"], {
    store: memoryStore(),
    sessionId: "s",
    tools: [slow],
  });
  const cutOff = failureOf(agent.call("Go"));
  await running.promise;
  await agent.shutdown({ deadlineMs: Infinity });
  expect(await cutOff).toMatchObject({ code: "run/shutdown" });
  expect((await agent.messages()).flatMap(toolResultsOf)).toMatchObject([{ state: "success" }]);
});
