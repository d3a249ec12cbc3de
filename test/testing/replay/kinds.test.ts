// Runs of all kinds are the same again with the agent that made them, from each position, and an experiment finds nothing.
import { experiment, replayOf, type ReplayAgentConfig } from "agentchart/evals";
import { memoryStore } from "agentchart/store/memory";
import { describe, expect, test } from "vitest";
import { agentsWith, KINDS, record } from "./recorded-kinds.ts";

describe.each(Object.keys(KINDS))("a run %s", (kind) => {
  test("is the same from its start and from each of its positions, and an experiment says so", async () => {
    const store = memoryStore();
    const sessionId = await record(store, kind);
    const agent = agentsWith("Help.")[sessionId] as unknown as () => ReplayAgentConfig;
    const places: number[] = [];
    for await (const { type, seq, data } of store.read(sessionId))
      if (type === "position" && (data as { readonly state?: string }).state !== undefined) places.push(seq);
    expect(places.length).toBeGreaterThan(1);
    for (const at of [undefined, ...places]) {
      // A fork in the midst of a structured answer that is given again has what no later one has.
      if (kind === "with a structured answer after a wrong one" && at === places.at(-2)) continue;
      const {
        isSame,
        divergences,
        agent: changed,
        stopped,
        ran,
      } = await replayOf(store, sessionId, { agent, at });
      const told = { at, divergences, changed, stopped, ran };
      expect(told).toEqual({ at, divergences: [], changed: [], stopped: undefined, ran: [] });
      expect(isSame).toBe(true);
    }
    const { counts, rows } = await experiment(store, { sessions: [sessionId], agent });
    expect(counts, JSON.stringify(rows)).toMatchObject({ same: 1, different: 0, error: 0 });
  });

  test("is another one for an agent with another prompt", async () => {
    const store = memoryStore();
    const sessionId = await record(store, kind);
    const agent = agentsWith("Refuse.")[sessionId] as unknown as () => ReplayAgentConfig;
    expect(await replayOf(store, sessionId, { agent })).toMatchObject({
      isSame: false,
      agent: [
        {
          what: "prompt",
          recorded: expect.stringContaining("Help"),
          replayed: expect.stringContaining("Refuse"),
        },
      ],
    });
  });
});
