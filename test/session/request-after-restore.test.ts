// Attempts of a request go on counting after a restore.
import { expect, test } from "vitest";
import {
  AgentError,
  createAgent,
  userMsg,
  type Agent,
  type AgentConfig,
  type Hook,
  type Snapshot,
} from "agentchart";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { toolOf } from "../support/agents.ts";
import { show } from "../support/trace.ts";

const failed: ScriptedTurn = { error: new AgentError("model/unavailable", "Down.", { isRetryable: true }) };
const config = {
  name: "bot",
  modelOptions: { execution: { maxAttempts: 2, initialBackoffMs: 60_000 } },
  tools: [toolOf("look", () => "seen")],
};

type Stored = Snapshot & { readonly state: string; readonly kept: { readonly request: object } };

/** The session of an agent whose process ended in a state, with a short time left to wait. */
async function killedIn(
  state: string,
  turns: readonly ScriptedTurn[],
  more: Partial<AgentConfig>,
): Promise<Snapshot> {
  const agent = createAgent({ ...config, model: scriptedModel(turns), ...more });
  agent.call("go").catch(() => {}); // it is cut off below
  const stored = (): Stored => agent.snapshot() as Stored;
  await expect.poll(() => stored().state, { interval: 5 }).toBe(state);
  const { kept, ...session } = JSON.parse(JSON.stringify(stored())) as Stored;
  agent.actor.stop();
  return { ...session, kept: { ...kept, request: { ...kept.request, notBeforeAt: Date.now() + 500 } } };
}

function statesOf(agent: Agent): string[] {
  const states: string[] = [];
  agent.subscribe((event) => event.type === "state" && states.push(event.value));
  return states;
}

const edits = (): object => ({ system: "hooked", append: [userMsg("too")] });

test.each<[string, Hook | undefined, number]>([
  ["reasoning", { name: "h", preReasoning: edits }, 10],
  ["summarizing", { name: "h", preSummary: edits }, 1],
  ["reasoning", undefined, 10],
])(
  "a request that waits to be repeated is made by the hooks of the process that makes it: %s, %j",
  async (place, hook, maxIters) => {
    const turns = place === "reasoning" ? [failed] : [{ calls: [{ id: "c1", name: "look" }] }, failed];
    const snapshot = await killedIn(`${place}.backingOff`, turns, {
      maxIters,
      hooks: [{ name: "before", preReasoning: edits, preSummary: edits }],
    });
    const model = scriptedModel(["done"]);
    const agent = createAgent({
      ...config,
      maxIters,
      model,
      sessionOptions: { snapshot },
      hooks: hook ? [hook] : [],
    });
    const states = statesOf(agent);
    expect((await agent.call("and this")).text).toBe("done");
    expect(states).toContain(`${place}.backingOff`);
    const sent = model.requests[0]!.messages.map(show);
    expect(sent).toContain("U[and this]");
    expect([sent.includes("S[hooked]"), sent.includes("U[too]")]).toEqual([!!hook, !!hook]);
  },
);

test("a summary that failed waits and counts its attempts on after a restore, and is one step of the turn", async () => {
  const turns = [{ calls: [{ name: "look" }] }, failed];
  const snapshot = await killedIn("summarizing.backingOff", turns, { maxIters: 1 });
  const model = scriptedModel([failed, "once too often"]);
  const agent = createAgent({ ...config, maxIters: 1, model, sessionOptions: { snapshot } });
  const states = statesOf(agent);
  const reply = await agent.call();
  expect(states).toContain("summarizing.backingOff");
  expect(model.requests).toHaveLength(1);
  expect(reply.text).toContain("Error generating summary: Down.");
  expect(reply.turn).toMatchObject({ iterations: 1, modelCalls: 3 });
});
