// A `redact` of the user that fails.
import { expect, test } from "vitest";
import { textOf, userMsg } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { SessionSummary } from "../../src/agent/status.ts";
import { Transcript } from "../../src/core/message/transcript.ts";
import { scripted } from "../support/agents.ts";

test("a `redact` that throws fails the turn, and what happened meanwhile is stored once it works again", async () => {
  const store = memoryStore();
  let isBroken = false;
  const redact = <T>(value: T): T => {
    if (isBroken) throw new Error("no key");
    return value;
  };
  const { agent } = scripted(["One", "Two", "Three"], { store, sessionId: "s", sessionOptions: { redact } });
  await agent.call("1");
  isBroken = true;
  await expect(agent.call("2")).rejects.toMatchObject({ message: expect.stringContaining("no key") });
  isBroken = false;
  await agent.call("3");
  const texts = (await agent.messages()).map(textOf);
  expect(texts).toContain("2");
  await agent.close();
  const restored = scripted([], { store, sessionId: "s" }).agent;
  await restored.open();
  expect((await restored.messages()).map(textOf)).toEqual(texts);
  await restored.close();
});

test("a `redact` that throws fails what saves elsewhere, with the code of a store that fails", async () => {
  const redact = <T>(value: T): T => {
    if (JSON.stringify(value).includes("One")) throw new Error("no key");
    return value;
  };
  const { agent } = scripted(["One"], { sessionOptions: { redact } });
  await agent.call("1");
  const saved = agent.saveTo(memoryStore(), "copy");
  await expect(saved).rejects.toMatchObject({ code: "store/failed", message: "no key" });
});

test("what lists show of a session is worked out again after `redact` has thrown", () => {
  const about = new SessionSummary();
  const session = (text: string) => ({ transcript: Transcript.of([userMsg(text)]), outcome: null });
  about.of(session("one"), (shown) => shown);
  const second = session("two");
  const failing = () => {
    throw new Error("no key");
  };
  expect(() => about.of(second, failing)).toThrow("no key");
  expect(about.of(second, (shown) => shown)).toMatchObject({ title: "two" });
});
