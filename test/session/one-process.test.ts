// Calls of one process to one session.
import { expect, test } from "vitest";
import { textOf } from "agentchart";
import { z } from "zod";
import { scripted, toolOf } from "../support/agents.ts";

// What holds as long as one process lives; the agent suite also runs with a new one after each step.

test("a queued call is never refused as busy, whenever another call comes in between", async () => {
  for (let hops = 0; hops < 8; hops++) {
    const { agent } = scripted(["first", "second", "third"]);
    agent.subscribe(async (event) => {
      if (event.type !== "turn.end" || !event.reply || textOf(event.reply) !== "first") return;
      for (let hop = 0; hop < hops; hop++) await Promise.resolve();
      await agent.call("in between").catch(() => {});
    });
    const first = agent.call("one");
    const queued = agent.call("two", { whenBusy: "queue" });
    await first;
    expect((await queued).reason, `after ${hops} hops`).toBe("MODEL_STOP");
  }
});

test("a stopped turn that goes on gives the structured answer as its own schema parses it", async () => {
  let stops = 1;
  const { agent } = scripted(
    [
      { calls: [{ id: "c1", name: "clerk" }] },
      { calls: [{ name: "generate_response", input: { response: { n: "5" } } }] },
    ],
    {
      tools: [toolOf("clerk", () => "yes")],
      hooks: [{ name: "once", postActing: () => ({ stop: stops-- > 0 }) }],
    },
  );
  await agent.call("go", { output: z.object({ n: z.string().transform(Number) }) });
  expect((await agent.call()).output).toEqual({ n: 5 });
});
