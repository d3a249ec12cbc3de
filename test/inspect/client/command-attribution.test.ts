import { expect, test } from "vitest";
import { CommandAttribution } from "../../../src/inspect/client/command-attribution.ts";
import type { RunCommand } from "../../../src/inspect/protocol/protocol.ts";

const decide: RunCommand = {
  id: "1",
  runId: "r",
  type: "decide",
  callId: "c1",
  decision: "approve",
  argsHash: "h",
};

test("an event is attributed to a command once, while the command runs, and only for its call", async () => {
  const attribution = new CommandAttribution();
  const { promise, resolve } = Promise.withResolvers<string>();
  const done = attribution.during(decide, () => promise);
  expect(attribution.claim({ type: "tool.decide", callId: "c2" })).toBe(false);
  expect(attribution.claim({ type: "run.interrupt" })).toBe(false);
  expect(attribution.claim({ type: "tool.decide", callId: "c1" })).toBe(true);
  expect(attribution.claim({ type: "tool.decide", callId: "c1" })).toBe(false);
  resolve("done");
  expect(await done).toBe("done");
  expect(attribution.claim({ type: "call" })).toBe(false);
});

test("a command that fails claims no further events", async () => {
  const attribution = new CommandAttribution();
  const failing = attribution.during({ id: "2", runId: "r", type: "resume" }, () =>
    Promise.reject(new Error("no")),
  );
  await expect(failing).rejects.toThrow("no");
  expect(attribution.claim({ type: "call" })).toBe(false);
});
