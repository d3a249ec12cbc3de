// A run is told the same live, stored and exported.
import { describe, expect, test } from "vitest";
import { AgentError, createAgent, defineHook, type Agent, type AgentConfig } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import fc from "../../../test/support/fast-check.ts";
import { GOLDEN_RUNS } from "../../../test/support/golden-runs.ts";
import { SUSPICIOUS_RUNS } from "../../../test/inspect/suspicions/suspicious-runs.ts";
import { play } from "../../../test/laws/properties/play.ts";
import { scenario, type Scenario } from "../../../test/laws/properties/scenario.ts";
import { toolOf } from "../../../test/support/agents.ts";
import { traced } from "../../../test/support/trace.ts";
import { exported, stored, told, watched, type Told } from "./told-run.ts";
import { layered } from "../../../test/support/layered.ts";

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
    config: { store, sessionId: "s", sessionOptions: { now: () => ++time } },
    onAgent: (each) => {
      agent = each;
      if (live) live.attach(each);
      else live = watched(each);
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
        const { agent } = traced(turns, layered(more, config));
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

describe("a run has the same suspicions live, stored and exported", () => {
  test.each(Object.keys(SUSPICIOUS_RUNS))("%s", async (name) => {
    const { live, others } = await toldOf(async ({ config, onAgent }) => {
      await SUSPICIOUS_RUNS[name]!.play({ ...config, onAgent });
    });
    expect(others).toEqual([live, live, live]);
  });
});

const ask = { calls: [{ id: "c1", name: "ask", input: {} }] };
const tools = [toolOf("ask", () => "done", { permission: "ask" })];

/** What is told of sessions that the golden runs do not have. */
const MORE: { readonly [name: string]: (run: Run) => Promise<void> } = {
  "a decision of a person, and its refusal": async ({ config, onAgent }) => {
    const model = scriptedModel([ask, "done"]);
    const agent = createAgent({ name: "bot", model, tools, ...config });
    onAgent(agent);
    await agent.call("U1");
    const [pending] = agent.status().pending;
    await expect(agent.decide("nobody", "approve")).rejects.toThrow("No open call");
    await agent.decide(pending!.callId, "approve", { argsHash: pending!.argsHash, by: "maria" });
    await agent.call();
  },
  "another process that goes on": async ({ config, onAgent }) => {
    const first = createAgent({ name: "bot", model: scriptedModel([ask]), tools, ...config });
    onAgent(first);
    await first.call("U1");
    const [pending] = first.status().pending;
    await first.close();
    const second = createAgent({ name: "bot", model: scriptedModel(["done"]), tools, ...config });
    onAgent(second);
    await second.decide(pending!.callId, "deny");
    await second.call();
  },
  "attempts that fail, and a fallback": async ({ config, onAgent }) => {
    let runs = 0;
    const flaky = toolOf(
      "flaky",
      () => {
        if (++runs < 3) throw new AgentError("tool/failed", `attempt ${runs} broke`, { isRetryable: true });
        return "done";
      },
      { execution: { maxAttempts: 3, initialBackoffMs: 1 } },
    );
    const agent = createAgent({
      name: "bot",
      model: scriptedModel([
        { calls: [{ id: "c1", name: "flaky", input: {} }] },
        { error: new Error("down") },
      ]),
      tools: [flaky],
      ...config,
      modelOptions: { fallbackModel: scriptedModel(["done"]), ...config.modelOptions },
    });
    onAgent(agent);
    await agent.call("U1");
  },
  "hooks that deny, change and stop": async ({ config, onAgent }) => {
    const hook = defineHook({
      name: "guard",
      preReasoning: ({ iteration }) => (iteration === 0 ? { system: "Be brief." } : undefined),
      preActing: ({ call: { id } }) => (id === "c1" ? { deny: "Not now." } : { input: { n: 2 } }),
      postActing: ({ call: { id } }) => (id === "c2" ? { stop: true } : undefined),
    });
    const calls = [
      { id: "c1", name: "look", input: {} },
      { id: "c2", name: "look", input: {} },
    ];
    const agent = createAgent({
      name: "bot",
      model: scriptedModel([{ calls }, "done"]),
      tools: [toolOf("look", () => "seen")],
      hooks: [hook],
      ...config,
    });
    onAgent(agent);
    await agent.call("U1");
  },
  "a conversation that is summed up": async ({ config, onAgent }) => {
    const agent = createAgent({
      name: "bot",
      model: scriptedModel(["one", "two", "a summary", "three"]),
      ...config,
    });
    onAgent(agent);
    await agent.call("U1");
    await agent.call("U2");
    await agent.compact();
    await agent.call("U3");
  },
};

test.each(Object.keys(MORE))("%s is told alike live, stored and exported", async (name) => {
  const { live, others } = await toldOf(MORE[name]!);
  expect(others).toEqual([live, live, live]);
  expect(live.steps.map(({ title, note }) => (note === "" ? title : `${title} · ${note}`))).toMatchSnapshot();
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
