import { expect, test } from "vitest";
import { AskedEvents } from "../../src/inspect/client/asked-events.ts";
import type { Command } from "../../src/inspect/protocol/protocol.ts";

const decide: Command = {
  id: "1",
  runId: "r",
  type: "decide",
  callId: "c1",
  decision: "approve",
  argsHash: "h",
};

test("an event is asked for once, while its command lasts, and only for the call that it decides", async () => {
  const asked = new AskedEvents();
  const { promise, resolve } = Promise.withResolvers<string>();
  const done = asked.during(decide, () => promise);
  expect(asked.take({ type: "tool.decide", callId: "c2" })).toBe(false);
  expect(asked.take({ type: "run.interrupt" })).toBe(false);
  expect(asked.take({ type: "tool.decide", callId: "c1" })).toBe(true);
  expect(asked.take({ type: "tool.decide", callId: "c1" })).toBe(false);
  resolve("done");
  expect(await done).toBe("done");
  expect(asked.take({ type: "call" })).toBe(false);
});

test("a command that fails is over, too", async () => {
  const asked = new AskedEvents();
  const failing = asked.during({ id: "2", runId: "r", type: "resume" }, () =>
    Promise.reject(new Error("no")),
  );
  await expect(failing).rejects.toThrow("no");
  expect(asked.take({ type: "call" })).toBe(false);
});
