// The actor of an agent whose session is not open here.
import { describe, expect, test } from "vitest";
import { createAgent } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { memoryStore } from "agentchart/store/memory";
import { scripted, toolOf } from "../support/agents.ts";

const paying = () => [{ calls: [{ id: "c", name: "pay", input: {} }] }, "paid", "again"];
const pay = () => toolOf("pay", () => "ok", { permission: "ask" });

describe("the actor of an agent", () => {
  test("is at the state of the session whenever it is asked for, and stays from then on", async () => {
    const { agent } = scripted(paying(), { tools: [pay()] });
    await agent.call("go");
    const { actor } = agent;
    expect(actor.getSnapshot().value).toEqual({ suspended: "waiting" });
    const states: unknown[] = [];
    actor.subscribe(({ value }) => void states.push(value));
    await agent.decide("c", "approve");
    await agent.call();
    expect(agent.actor).toBe(actor);
    expect(states).toContainEqual({ acting: { executing: "running" } });
    expect(states.at(-1)).toEqual({ stopped: "idle" });
    expect(actor.getSnapshot().context.transcript).toHaveLength(4);
  });

  test("that is first seen in the middle of a turn is the one that runs it", async () => {
    const seen: unknown[] = [];
    const work = toolOf("work", async () => {
      agent.actor.subscribe(({ value }) => void seen.push(value));
      return "done";
    });
    const { agent } = scripted([{ calls: [{ name: "work", input: {} }] }, "end"], { tools: [work] });
    await agent.call("go");
    expect(seen.at(-1)).toEqual({ stopped: "idle" });
  });

  test("has no child for a tool that has ended while others run", async () => {
    const held = Promise.withResolvers<string>();
    const tools = [toolOf("quick", () => "ok"), toolOf("slow", () => held.promise)];
    const calls = ["quick", "slow", "quick"].map((name, index) => ({ id: `c${index}`, name, input: {} }));
    const { agent } = scripted([{ calls }, "end"], { tools, parallelToolCalls: true });
    const { actor } = agent;
    const children = (): string[] => Object.keys(actor.getSnapshot().children);
    const most: string[][] = [];
    actor.subscribe(() => void most.push(children()));
    const reply = agent.call("go");
    await expect.poll(children).toEqual(["tool.slow.2"]);
    expect(most).toContainEqual(["tool.quick.1", "tool.slow.2", "tool.quick.3"]);
    held.resolve("done");
    expect((await reply).text).toBe("end");
    expect(children()).toEqual([]);
  });

  test("has snapshots that keep the children that they had", async () => {
    const held = Promise.withResolvers<string>();
    const tools = [toolOf("quick", () => "ok"), toolOf("slow", () => held.promise)];
    const calls = ["quick", "slow", "quick"].map((name, index) => ({ id: `c${index}`, name, input: {} }));
    const { agent } = scripted([{ calls }, "end"], { tools, parallelToolCalls: true });
    const taken: { readonly children: object; readonly ids: readonly string[] }[] = [];
    agent.actor.subscribe(({ children }) => void taken.push({ children, ids: Object.keys(children) }));
    const reply = agent.call("go");
    await expect.poll(() => taken.at(-1)?.ids).toEqual(["tool.slow.2"]);
    held.resolve("done");
    await reply;
    expect(taken).toContainEqual(expect.objectContaining({ ids: expect.objectContaining({ length: 3 }) }));
    for (const { children, ids } of taken) expect(Object.keys(children)).toEqual(ids);
  });

  test("is stopped once the agent is closed, also if nobody had asked for it before", async () => {
    const { agent } = scripted(["one"]);
    await agent.call("go");
    await agent.close();
    expect(agent.actor.getSnapshot().status).toBe("stopped");
  });

  test("is not needed: what an agent is asked at rest, and what it is told there, is the same without it", async () => {
    const told = createAgent({ name: "bot", model: scriptedModel(paying()), tools: [pay()] });
    const shown = createAgent({ name: "bot", model: scriptedModel(paying()), tools: [pay()] });
    void shown.actor;
    const played = [];
    for (const agent of [told, shown]) {
      const types: string[] = [];
      agent.subscribe(({ type }) => void types.push(type));
      const replies: string[] = [(await agent.call("go")).reason];
      expect(agent.interrupt("no")).toBe(true);
      replies.push(agent.status().phase);
      await agent.observe({ ...(await agent.messages())[0]!, id: "o" });
      await agent.decide("c", "approve").catch(({ code }: { code: string }) => replies.push(code));
      replies.push((await agent.call("more")).text);
      played.push({ replies, types, messages: (await agent.messages()).map(({ role }) => role) });
    }
    expect(played[0]).toEqual(played[1]);
  });

  test("is made anew for a call while the turn before is still being told of", async () => {
    const model = scriptedModel(["one", "two"]);
    const agent = createAgent({ name: "bot", model, store: memoryStore(), sessionId: "s" });
    const second = Promise.withResolvers<string>();
    agent.subscribe((event) => {
      if (event.type === "turn.end" && event.turn === 1)
        agent.call("more").then(({ text }) => second.resolve(text), second.reject);
    });
    expect((await agent.call("go")).text).toBe("one");
    expect(await second.promise).toBe("two");
    expect(await agent.messages()).toHaveLength(4);
  });
});
