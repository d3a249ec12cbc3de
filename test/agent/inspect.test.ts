import { expect, test } from "vitest";
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
