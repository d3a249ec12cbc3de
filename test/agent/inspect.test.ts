// The option `inspect`, and observers that throw.
import type { AgentWatcher } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { expect, test } from "vitest";
import { stepsOf } from "../../src/agent/steps.ts";
import { scripted } from "../support/agents.ts";

test("the option inspect receives XState's inspection events, and an exception that it throws has no effect", async () => {
  const types = new Set<string>();
  const { agent } = scripted(["ok"], {
    inspect: (event) => {
      types.add(event.type);
      throw new Error("inspector");
    },
  });
  expect((await agent.call("a")).text).toBe("ok");
  expect([...types]).toEqual(expect.arrayContaining(["@xstate.microstep", "@xstate.snapshot"]));
});

const broken = (): never => {
  throw new Error("planted");
};
const WATCHERS: { readonly [part: string]: AgentWatcher } = {
  watch: { watch: broken },
  committed: { watch: () => ({ committed: broken, flushed: async () => {} }) },
  flushed: { watch: () => ({ committed: () => {}, flushed: broken }) },
  "what flushed() returns": { watch: () => ({ committed: () => {}, flushed: async () => broken() }) },
};

test.each(Object.entries(WATCHERS))(
  "a watcher of which %s throws harms neither the agent nor the watchers after it",
  async (_, watcher) => {
    let commits = 0;
    const healthy: AgentWatcher = {
      watch: () => ({ committed: () => void commits++, flushed: async () => {} }),
    };
    const { agent } = scripted(["ok", "again"], { inspect: [watcher, healthy], store: memoryStore() });
    expect((await agent.call("a")).text).toBe("ok");
    expect((await agent.call("b")).text).toBe("again");
    await agent.close();
    expect(commits).toBeGreaterThan(0);
  },
);

test("an observer of steps or of model calls that throws has no effect", async () => {
  const { agent } = scripted(["ok"]);
  let steps = 0;
  stepsOf(agent).subscribe(broken, broken);
  stepsOf(agent).subscribe(() => void steps++);
  expect((await agent.call("a")).text).toBe("ok");
  expect(steps).toBeGreaterThan(0);
});
