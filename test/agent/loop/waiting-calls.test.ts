// Calls that wait in the queue of an agent, and their streams.
import { describe, expect, test } from "vitest";
import { setTimeout as sleep } from "node:timers/promises";
import { textOf } from "agentchart";
import type { ScriptedTurn } from "agentchart/testing";
import { eventsOf, scripted, toolOf, untilAborted } from "../../support/agents.ts";

/** An answer of these letters that takes its time. */
const slow = (text: string, ms = 20): ScriptedTurn =>
  async function* () {
    for (const delta of text) {
      await sleep(ms);
      yield { type: "text.delta", delta };
    }
    yield { type: "finish", reason: "stop" };
  };

describe("a queued call", () => {
  test("the stream of a queued call has its own turn only", async () => {
    const { agent } = scripted([slow("abc"), slow("xyz")]);
    const first = agent.call("one");
    await sleep(5);
    const events = await eventsOf(agent.stream("two", { whenBusy: "queue" }));
    expect((await first).text).toBe("abc");
    const text = events.map((event) => (event.type === "block.delta" ? event.delta : "")).join("");
    expect(text).toBe("xyz");
    expect(events.filter(({ type }) => type === "turn.start" || type === "turn.end")).toHaveLength(2);
    expect(events[0]!.type).toBe("turn.start");
    expect(events.at(-1)!.type).toBe("turn.end");
  });

  test("a queued call adds nothing to the stream of the call before it", async () => {
    const { agent } = scripted(["abc", "xyz", "123"]);
    const streams = ["one", "two", "three"].map((text) => agent.stream(text, { whenBusy: "queue" }));
    for (const events of await Promise.all(streams.map(eventsOf))) {
      expect(events[0]!.type).toBe("turn.start");
      expect(events.at(-1)!.type).toBe("turn.end");
      expect(new Set(events.map(({ turn }) => turn)).size).toBe(1);
    }
  });

  test("a queued call times out before its turn has begun", async () => {
    const { agent } = scripted([slow("a", 400), "never"]);
    const first = agent.call("one");
    const late = agent.call("two", { whenBusy: "queue", timeoutMs: 40 });
    const excused = agent.call("three", { whenBusy: "queue", timeoutMs: 40, fallbackReply: "sorry" });
    await expect(Promise.race([late, first])).rejects.toMatchObject({ code: "run/timeout" });
    expect(await Promise.race([excused, first])).toMatchObject({ text: "sorry", reason: "INTERRUPTED" });
    expect((await first).text).toBe("a");
    expect((await agent.messages()).map(textOf)).toEqual(["one", "a"]);
  });

  test("a queued call ends when its signal aborts, and later calls go on", async () => {
    const { agent } = scripted([slow("a", 200), "c"]);
    const first = agent.call("one");
    const controller = new AbortController();
    const second = agent.call("two", { whenBusy: "queue", signal: controller.signal });
    const third = agent.call("three", { whenBusy: "queue" });
    controller.abort();
    await expect(Promise.race([second, first])).rejects.toMatchObject({ code: "run/aborted" });
    expect([(await first).text, (await third).text]).toEqual(["a", "c"]);
    expect((await agent.messages()).map(textOf)).toEqual(["one", "a", "three", "c"]);
  });
});

test("a call whose signal aborted rejects with run/aborted, also if the turn is interrupted otherwise", async () => {
  const started = Promise.withResolvers<void>();
  const wait = toolOf("wait", (_, { signal }) => (started.resolve(), untilAborted(signal)));
  const { agent } = scripted([{ calls: [{ id: "c1", name: "wait" }] }], { tools: [wait] });
  const controller = new AbortController();
  const call = agent.call("go", { signal: controller.signal });
  await started.promise;
  agent.interrupt("first");
  controller.abort();
  agent.interrupt("second");
  await expect(call).rejects.toMatchObject({ code: "run/aborted" });
  expect((await agent.messages()).slice(3, 5).map(textOf)).toEqual(["first", "second"]);
});
