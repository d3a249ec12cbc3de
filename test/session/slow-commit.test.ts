// Commits that are slow.
import { expect, test } from "vitest";
import type { SessionStore } from "../../src/store/port.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { outputOf, resultsOf, scripted, toolOf } from "../support/agents.ts";

/** A store that says when something was appended. */
function observed(appended: () => void): SessionStore {
  const store = memoryStore();
  const { append } = store;
  return Object.assign(Object.create(store) as SessionStore, {
    append: async (...args: Parameters<SessionStore["append"]>) => {
      const seq = await append.apply(store, args);
      appended();
      return seq;
    },
  });
}

test("a call's time begins when it does, not while its start is still being stored", async () => {
  let now = 1_000_000;
  const work = toolOf("work", (_, { deadlineAt }) => (deadlineAt > now ? "in time" : "too late"), {
    execution: { timeoutMs: 500 },
  });
  const { agent } = scripted([{ calls: [{ name: "work" }] }, "done"], {
    tools: [work],
    store: observed(() => (now += 1_000)),
    sessionId: "s",
    sessionOptions: { now: () => now, leaseMs: 60_000_000 },
  });
  await agent.call("go");
  expect(outputOf(resultsOf(await agent.messages())[0])).toBe("in time");
  await agent.close();
});
