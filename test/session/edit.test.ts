// The method `edit` of an agent.
import { describe, expect, test } from "vitest";
import { textOf, userMsg, type AgentEvent, type Msg } from "agentchart";
import { openSession } from "agentchart/session";
import { memoryStore } from "agentchart/store/memory";
import { scripted, toolOf } from "../support/agents.ts";

const texts = (messages: readonly Msg[]): string[] => messages.map(textOf);
const withText = (message: Msg, text: string): Msg => ({ ...message, content: [{ type: "text", text }] });
const call = { calls: [{ id: "c", name: "look", input: {} }] };

describe("agent.edit", () => {
  test("removes and replaces messages: the model and every later process have the edited ones", async () => {
    const store = memoryStore();
    const { agent, model } = scripted(["One", "Two", "Three"], { store, sessionId: "s" });
    await agent.call("1");
    await agent.call("2");
    const { seq } = agent.status();
    await agent.edit(([first, , ...rest]) => [withText(first!, "Uno"), ...rest]);
    expect(texts(await agent.messages())).toEqual(["Uno", "2", "Two"]);
    await agent.call("3");
    expect(texts(model.requests.at(-1)!.messages)).toEqual(["Uno", "2", "Two", "3"]);
    await agent.close();

    const stored = await openSession(store, "s");
    expect(texts((await stored.at(seq)).messages)).toEqual(["1", "One", "2", "Two"]);
    expect(texts((await stored.at()).messages)).toEqual(["Uno", "2", "Two", "3", "Three"]);
    const later = scripted(["Four"], { store, sessionId: "s" });
    await later.agent.call("4");
    expect(texts(later.model.requests[0]!.messages)).toEqual(["Uno", "2", "Two", "3", "Three", "4"]);
    await later.agent.close();
  });

  test("writes only what follows the first change", async () => {
    const store = memoryStore();
    const { agent } = scripted(["One", "Two"], { store, sessionId: "s" });
    await agent.call("1");
    await agent.call("2");
    await agent.edit((all) => all.slice(0, 3));
    await agent.close();
    const written: unknown[] = [];
    for await (const { type, data } of store.read("s"))
      if (type === "messages") written.push([data["from"], (data["messages"] as unknown[]).length]);
    expect(written.at(-1)).toEqual([3, 0]);
  });

  test("may remove a call with its result, and everything; an unchanged list changes nothing", async () => {
    const tools = [toolOf("look", () => "seen")];
    const { agent, model } = scripted([call, "End", "Fresh"], { tools });
    await agent.call("Look");
    await agent.edit((all) => [...all]);
    expect(await agent.messages()).toHaveLength(4);
    await agent.edit((all) => all.filter(({ content }) => content[0]!.type === "text"));
    expect(texts(await agent.messages())).toEqual(["Look", "End"]);
    await agent.edit(() => []);
    await agent.call("Anew");
    expect(texts(model.requests.at(-1)!.messages)).toEqual(["Anew"]);
  });

  test.each<[string, (all: readonly Msg[]) => readonly Msg[], object]>([
    [
      "a call without its result",
      (all) => all.filter(({ role }) => role !== "tool"),
      { code: "message/invalid" },
    ],
    ["a result without its call", (all) => all.filter((_, at) => at !== 1), { code: "message/invalid" }],
    ["what is not a message", (all) => [...all, { text: "hi" } as never], { code: "message/invalid" }],
    ["what is not a list", () => "hi" as never, { code: "message/invalid" }],
  ])("refuses %s, and changes nothing", async (_name, change, error) => {
    const store = memoryStore();
    const tools = [toolOf("look", () => "seen")];
    const { agent } = scripted([call, "End"], { tools, store, sessionId: "s" });
    await agent.call("Look");
    const [before, { seq }] = [await agent.messages(), agent.status()];
    await expect(agent.edit(change)).rejects.toMatchObject(error);
    expect(await agent.messages()).toEqual(before);
    expect(agent.status().seq).toBe(seq);
    await expect(agent.edit("all" as never)).rejects.toMatchObject({ code: "config/invalid" });
    const thrown = new Error("mine");
    await expect(
      agent.edit(() => {
        throw thrown;
      }),
    ).rejects.toBe(thrown);
    await agent.close();
    await expect(agent.edit(change)).rejects.toMatchObject({ code: "run/closed" });
  });

  test("is for a session between two turns: it is refused while one waits or runs", async () => {
    const gate = Promise.withResolvers<string>();
    const begun = Promise.withResolvers<void>();
    const tools = [
      toolOf("look", () => "seen", { permission: "ask" }),
      toolOf("wait", () => (begun.resolve(), gate.promise)),
    ];
    const turns = [call, { calls: [{ id: "w", name: "wait" }] }, "End"];
    const { agent } = scripted(turns, { tools });
    await agent.call("Look");
    const none = (): readonly Msg[] => [];
    await expect(agent.edit(none)).rejects.toMatchObject({ code: "run/pending" });
    await agent.decide("c", "approve");
    const running = agent.call();
    await begun.promise;
    await expect(agent.edit(none)).rejects.toMatchObject({ code: "run/busy" });
    gate.resolve("done");
    expect((await running).text).toBe("End");
    await agent.edit(none);
    expect(await agent.messages()).toEqual([]);
  });

  test("what was summed up is shown again if it was changed, and the summary stays if later messages were", async () => {
    const { agent, model } = scripted(["One", "Two", "A summary of one", "Three", "Four"], {
      compaction: { keepRecentTokens: 1 },
    });
    await agent.call("1");
    await agent.call("2");
    const { from } = await agent.compact();
    expect(from).toBeGreaterThan(0);
    await agent.edit((all) => [...all, userMsg("a note")]);
    await agent.call("3");
    expect(texts(model.requests.at(-1)!.messages).join()).toContain("A summary of one");
    await agent.edit(([first, ...rest]) => [withText(first!, "Uno"), ...rest]);
    await agent.call("4");
    const sent = texts(model.requests.at(-1)!.messages);
    expect(sent.join()).not.toContain("A summary of one");
    expect(sent).toEqual(["Uno", "One", "2", "Two", "a note", "3", "Three", "4"]);
  });

  test("listeners hear of the messages that are new, live and from the journal", async () => {
    const store = memoryStore();
    const { agent } = scripted(["One", "Two"], { store, sessionId: "s" });
    const live: AgentEvent[] = [];
    agent.subscribe((event) => void (event.type === "message" && live.push(event)));
    await agent.call("1");
    await agent.call("2");
    await agent.edit(([first, ...rest]) => [withText(first!, "Uno"), ...rest]);
    await agent.close();
    const heard = (events: readonly AgentEvent[]): string[] =>
      events.flatMap((event) => (event.type === "message" ? [textOf(event.message)] : []));
    expect(heard(live)).toEqual(["1", "One", "2", "Two", "Uno"]);
    const stored: AgentEvent[] = [];
    for await (const event of (await openSession(store, "s")).events()) stored.push(event);
    expect(heard(stored)).toEqual(heard(live));
  });
});
