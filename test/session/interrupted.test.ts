// An accepted interrupt outlives its process.
import { describe, expect, test } from "vitest";
import {
  createAgent,
  defineTool,
  textOf,
  toolResultMsg,
  type AgentConfig,
  type Input,
  type SessionStore,
} from "agentchart";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { memoryStore } from "../../src/store/memory.ts";
import { show } from "../support/trace.ts";
import { layered } from "../support/layered.ts";

/** A process that is interrupted while its tool runs, and ends before the turn has settled. */
async function brokenOff(config: Partial<AgentConfig>, message?: string) {
  let runs = 0;
  const slow = defineTool({
    name: "slow",
    description: "",
    input: { type: "object" },
    onRestart: "retry",
    execute: () => (runs++, new Promise<string>(() => {})),
  });
  const agent = (turns: readonly ScriptedTurn[], more: Partial<AgentConfig> = {}) =>
    createAgent({
      name: "bot",
      model: scriptedModel(turns),
      tools: [slow],
      sessionId: "s",
      ...layered(config, more),
    });
  const first = agent([{ calls: [{ id: "c", name: "slow" }] }], {
    ...config,
    turnOptions: { interruptGraceMs: 3_600_000, ...config.turnOptions },
  });
  first.call("go").catch(() => {});
  await expect.poll(() => runs).toBe(1);
  expect(first.interrupt(message)).toBe(true);
  return { first, agent, runs: () => runs };
}

async function journal(store: SessionStore): Promise<string> {
  const lines: string[] = [];
  for await (const entry of store.read("s")) lines.push(JSON.stringify(entry));
  return lines.join("\n");
}

const history = async (agent: ReturnType<typeof createAgent>) => (await agent.messages()).map(show);
const RECOVERY = "A[I noticed that you have interrupted me. What can I do for you?]";

describe("an accepted interrupt survives the end of its process (I4)", () => {
  test("an accepted interrupt in a snapshot ends the turn at the next call(), and no tool and no model runs", async () => {
    const { first, agent, runs } = await brokenOff({}, "stop");
    const second = agent(["never asked"], {
      sessionOptions: { snapshot: JSON.parse(JSON.stringify(first.snapshot())) },
    });
    expect(second.status().phase).toBe("unfinished");
    const reply = await second.call();
    expect([reply.reason, runs()]).toEqual(["INTERRUPTED", 1]);
    expect(await history(second)).toEqual(["U[go]", "A[c]", "T(c)", "U[stop]", RECOVERY]);
    expect((await second.call("on")).text).toBe("never asked");
  });

  test("an accepted interrupt is stored when it is accepted and not when the turn ends", async () => {
    let now = 1_000;
    const store = memoryStore({ now: () => now });
    const { first, agent, runs } = await brokenOff({ store }, "stop");
    await expect.poll(() => journal(store)).toContain('"interruption"');
    const { seq } = first.status();
    now += 60_000; // the process is gone and its lease has run out

    const second = agent(["never asked"], { store });
    const reply = await second.call();
    expect([reply.reason, runs(), second.status().seq > seq]).toEqual(["INTERRUPTED", 1, true]);
    await second.close();
    const third = agent(["asked"], { store });
    expect((await third.call("on")).text).toBe("asked");
    expect(await history(third)).toEqual(["U[go]", "A[c]", "T(c)", "U[stop]", RECOVERY, "U[on]", "A[asked]"]);
  });

  test.each<readonly [string, Input, readonly string[]]>([
    [
      "text is kept before the recovery text",
      "and this?",
      ["U[go]", "A[c]", "T(c)", "U[and this?]", RECOVERY],
    ],
    [
      "a result is taken",
      toolResultMsg([{ callId: "c", name: "slow", text: "R" }]),
      ["U[go]", "A[c]", "T(c)", RECOVERY],
    ],
  ])("%s, when it comes with the call that ends the turn", async (_, input, expected) => {
    const { first, agent } = await brokenOff({});
    const second = agent([], { sessionOptions: { snapshot: first.snapshot() } });
    expect((await second.call(input)).reason).toBe("INTERRUPTED");
    expect(await history(second)).toEqual(expected);
  });

  test("a turn aborted by the signal of a call in another process does not reject the next call with run/aborted", async () => {
    const { first, agent } = await brokenOff({});
    const snapshot = JSON.parse(JSON.stringify(first.snapshot()));
    snapshot.kept.interruption.cause = "signal";
    const reply = await agent([], { sessionOptions: { snapshot } }).call();
    expect(reply.reason).toBe("INTERRUPTED");
  });

  test("an interrupt leaves nothing in the session once its turn has ended", async () => {
    const { first } = await brokenOff({ turnOptions: { interruptGraceMs: 1 } });
    const snapshot = await first.close().then(() => first.snapshot());
    expect(snapshot).toMatchObject({ state: "stopped.idle", kept: { interruption: null } });
  });
});

test("a message that steer() accepted is written at once", async () => {
  const store = memoryStore();
  const { promise: gate, resolve: release } = Promise.withResolvers<void>();
  const model = scriptedModel([
    async function* () {
      await gate;
      yield { type: "text.delta", delta: "done" };
    },
    "then left",
  ]);
  const agent = createAgent({ name: "bot", model, sessionId: "s", store });
  const running = agent.call("go");
  await expect.poll(() => agent.steer("left")).toBe(true); // once the session is open
  await expect.poll(() => journal(store)).toContain("left");
  release();
  expect((await running).text).toBe("then left"); // it came before the turn was over, so the turn goes on
  expect((await agent.messages()).map(textOf)).toEqual(["go", "done", "left", "then left"]);
  await agent.close();
});
