// Durations while the clock is set back.
import { expect, test } from "vitest";
import { eventsOf, scripted, toolOf } from "../../support/agents.ts";

test("no duration is negative while the clock is set back again and again", async () => {
  let now = 1_700_000_000_000;
  const { agent } = scripted([{ calls: [{ name: "work", input: {} }] }, "done"], {
    tools: [toolOf("work", () => "worked")],
    budget: { wallMs: 1_000 },
    sessionOptions: { now: () => (now -= 86_400_000) },
  });
  const stream = agent.stream("go");
  const events = await eventsOf(stream);
  const reply = await stream.reply;
  expect(reply.text).toBe("done");
  expect(reply.turn.durationMs).toBe(0);
  expect(reply.usage?.durationMs).toBe(0);
  const durations = events.flatMap((event) =>
    event.type === "tool.end"
      ? event.durationMs
      : event.type === "model.end"
        ? (event.usage?.durationMs ?? 0)
        : [],
  );
  expect(durations).toEqual([0, 0, 0]);
});
