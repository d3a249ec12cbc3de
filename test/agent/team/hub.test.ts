// A hub, in which each agent hears the others.
import { describe, expect, test } from "vitest";
import { createAgent, textOf, type Agent, type AgentConfig } from "agentchart";
import { openHub } from "agentchart/team";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { toolOf, untilAborted } from "../../support/agents.ts";

const agentOf = (name: string, turns: readonly ScriptedTurn[] = [], more: Partial<AgentConfig> = {}): Agent =>
  createAgent({ name, model: scriptedModel(turns), ...more });
const heardBy = async (agent: Agent): Promise<string[]> =>
  (await agent.messages()).map((message) => `${message.name}: ${textOf(message)}`);

describe("a hub", () => {
  test("lets all hear the announcement, and each the answers of the others", async () => {
    const [ada, bob] = [agentOf("ada", ["Hello.", "Bye."]), agentOf("bob", ["Hi."])];
    const hub = await openHub({ participants: [ada, bob], announcement: "Talk." });
    for (const agent of [ada, bob, ada]) await agent.call();
    const all = ["host: Talk.", "ada: Hello.", "bob: Hi.", "ada: Bye."];
    expect(await heardBy(ada)).toEqual(all);
    expect(await heardBy(bob)).toEqual(all);
    hub.close();
    expect(hub.names()).toEqual([]);
  });

  test("is led by a moderator, who names the next one", async () => {
    const ada = agentOf("ada", ["I say yes."]);
    const bob = agentOf("bob", ["I say no."]);
    const moderator = agentOf("moderator", ["bob", "ada", "enough"]);
    await openHub({ participants: [moderator, ada, bob], announcement: "Yes or no?" });
    const speakers = new Map([ada, bob].map((agent) => [agent.name, agent]));
    for (let next = (await moderator.call()).text; speakers.has(next); next = (await moderator.call()).text)
      await speakers.get(next)!.call();
    expect(await heardBy(ada)).toEqual([
      "host: Yes or no?",
      "moderator: bob",
      "bob: I say no.",
      "moderator: ada",
      "ada: I say yes.",
      "moderator: enough",
    ]);
  });

  test("F16 passes on no reply of a turn that waits or was interrupted, and no thinking", async () => {
    const slow = toolOf("slow", (_, { signal }) => untilAborted(signal));
    const pay = toolOf("pay", () => "paid", { permission: "ask" });
    const script: ScriptedTurn[] = [
      { calls: [{ id: "c1", name: "pay" }] },
      { thinking: "Hm.", text: "It is paid." },
      { calls: [{ id: "c2", name: "slow" }] },
    ];
    const ada = agentOf("ada", script, { tools: [slow, pay] });
    const bob = agentOf("bob");
    await openHub({ participants: [ada, bob] });
    expect((await ada.call("Pay.")).reason).toBe("APPROVAL_REQUIRED");
    expect(await heardBy(bob)).toEqual([]);
    await ada.decide("c1", "approve");
    await ada.call();
    expect((await bob.messages()).map(({ content }) => content)).toEqual([
      [{ type: "text", text: "It is paid." }],
    ]);
    const turn = ada.call("Wait.");
    await expect.poll(() => ada.interrupt()).toBe(true);
    expect((await turn).reason).toBe("INTERRUPTED");
    expect(await heardBy(bob)).toHaveLength(1);
  });

  test("is not held up by two that answer at once", async () => {
    const [ada, bob] = [agentOf("ada", ["A."]), agentOf("bob", ["B."])];
    await openHub({ participants: [ada, bob] });
    await Promise.all([ada.call("go"), bob.call("go")]);
    await expect.poll(() => heardBy(ada)).toContain("bob: B.");
    await expect.poll(() => heardBy(bob)).toContain("ada: A.");
  });

  test("tells the others when one cannot be told, and says which", async () => {
    const [ada, bob, eve] = [agentOf("ada", ["A."]), agentOf("bob"), agentOf("eve")];
    const failures: string[] = [];
    await openHub({
      participants: [ada, bob, eve],
      onFailure: (name, { code }) => failures.push(`${name} ${code}`),
    });
    await bob.close();
    await ada.call("go");
    expect(failures).toEqual(["bob run/closed"]);
    expect(await heardBy(eve)).toEqual(["ada: A."]);
  });

  test.each(["running", "stopped"])(
    "is not harmed by an onFailure that throws, of one that is %s",
    async (phase) => {
      const [ada, eve] = [agentOf("ada", ["A."]), agentOf("eve")];
      const failing = {
        name: "bob",
        status: () => ({ phase }),
        observe: () => Promise.reject(new Error("no")),
        addHook: () => {},
        removeHook: () => {},
      } as unknown as Agent;
      const failures: string[] = [];
      const onFailure = (name: string): never => {
        failures.push(name);
        throw new Error("mine");
      };
      await openHub({ participants: [ada, failing, eve], onFailure });
      await ada.call("go");
      expect([failures, await heardBy(eve)]).toEqual([["bob"], ["ada: A."]]);
    },
  );

  test("is joined and left", async () => {
    const [ada, bob] = [agentOf("ada", ["1", "2", "3"]), agentOf("bob")];
    const hub = await openHub({ participants: [ada] });
    await ada.call("go");
    hub.add(bob);
    await ada.call("go");
    expect([hub.remove(bob), hub.remove("bob")]).toEqual([true, false]);
    expect([hub.remove(agentOf("ada")), hub.names()]).toEqual([false, ["ada"]]);
    await ada.call("go");
    expect(await heardBy(bob)).toEqual(["ada: 2"]);
  });

  test("passes on nothing by itself while that is switched off, and what it is told to broadcast", async () => {
    const [ada, bob] = [agentOf("ada", ["1", "2"]), agentOf("bob")];
    const hub = await openHub({ participants: [ada, bob], autoBroadcast: false });
    await ada.call("go");
    await hub.broadcast("Listen.");
    hub.setAutoBroadcast(true);
    await ada.call("go");
    expect(await heardBy(bob)).toEqual(["host: Listen.", "ada: 2"]);
  });

  test("has a participant once that is given twice, then or later", async () => {
    const [ada, bob] = [agentOf("ada", ["1"]), agentOf("bob")];
    const hub = await openHub({ participants: [ada, bob, ada] });
    hub.add(bob, ada);
    expect(hub.names()).toEqual(["ada", "bob"]);
    await ada.call("go");
    expect(await heardBy(bob)).toEqual(["ada: 1"]);
    expect(() => hub.add(agentOf("bob"))).toThrow("two participants are named 'bob'");
    expect(hub.remove(ada)).toBe(true);
    expect(ada.removeHook("hub 1")).toBe(false);
  });

  test.each([
    ["no participant", [], "at least one agent"],
    ["a participant without `observe`", [{ name: "x" }], "participant 'x' has no `observe`"],
    ["two of one name", [agentOf("a"), agentOf("a")], "two participants are named 'a'"],
  ])("is refused with %s", async (_, participants, problem) => {
    await expect(openHub({ participants: participants as never })).rejects.toMatchObject({
      code: "config/invalid",
      message: expect.stringContaining(problem) as string,
    });
  });
});
