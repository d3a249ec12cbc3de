import { describe, expect, test } from "vitest";
import { createAgent, type Agent, type AgentConfig } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import fc from "../../../test/support/fast-check.ts";
import { GOLDEN_RUNS } from "../../../test/support/golden-runs.ts";
import { play } from "../../../test/laws/properties/play.ts";
import { scenario, type Scenario } from "../../../test/laws/properties/scenario.ts";
import { traced } from "../../../test/support/trace.ts";
import { exported, stored, told, watched, type Told } from "./told-run.ts";

/** How many random sessions are played: 200 with SOAK=1. */
const SESSIONS = process.env["SOAK"] === "1" ? 200 : 20;

type Run = { readonly config: Partial<AgentConfig>; readonly onAgent: (agent: Agent) => void };

/** Plays a session, and returns what a page tells of it live, from its store and from files of both. */
async function toldOf(
  session: (run: Run) => Promise<void>,
): Promise<{ live: Told; others: readonly Told[] }> {
  let time = 1_000_000;
  const store = memoryStore();
  let live: ReturnType<typeof watched> | undefined;
  let agent: Agent | undefined;
  await session({
    config: { store, sessionId: "s", now: () => ++time },
    onAgent: (each) => {
      agent = each;
      live = watched(each);
    },
  });
  await agent!.close();
  const [seen, read] = [live!.told(), await stored(store, "s")];
  const others = [read, await exported(seen), await exported(read)];
  return { live: told(seen.log, seen.row), others: others.map(({ log, row }) => told(log, row)) };
}

/** Without what a store cannot do, or what ends the process. */
const inOneProcess = (each: Scenario): Scenario => ({
  ...each,
  steps: each.steps.filter((step) => step !== "restore"),
  disturbances: each.disturbances.filter(({ deed }) => deed !== "crash" && deed !== "snapshot"),
});

describe("a run has the same steps, titles, durations and outcome live, stored and exported", () => {
  test.each(Object.keys(GOLDEN_RUNS))("%s", async (name) => {
    const { live, others } = await toldOf(async ({ config, onAgent }) => {
      const start = (turns: readonly ScriptedTurn[], more: Partial<AgentConfig> = {}) => {
        const { agent } = traced(turns, { ...more, ...config });
        onAgent(agent);
        return { agent };
      };
      await GOLDEN_RUNS[name]!(start);
    });
    expect(others).toEqual([live, live, live]);
  });

  test.each(fc.sample(scenario, { numRuns: SESSIONS, seed: 7 }).map((each, place) => [place, each] as const))(
    "random session %i",
    async (_, each) => {
      const { live, others } = await toldOf(async (run) => void (await play(inOneProcess(each), run)));
      expect(others).toEqual([live, live, live]);
    },
  );
});

test("a good turn is not told as a stopped model", async () => {
  const store = memoryStore();
  const agent = createAgent({ name: "bot", model: scriptedModel(["hi"]), store, sessionId: "s" });
  await agent.call("U1");
  await agent.close();
  const { log, row } = await stored(store, "s");
  expect(told(log, row).steps.map(({ title, note }) => [title, note])).toEqual([
    ["the run began", ""],
    ["a call came in", "user: U1"],
    ["the model answered", "assistant: hi"],
  ]);
});
