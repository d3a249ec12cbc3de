// The number of calls of a batch that run at once.
import { describe, expect, test } from "vitest";
import type { AgentConfig, Tool } from "agentchart";
import { outputOf, resultsOf, scripted, toolOf } from "../../support/agents.ts";

/** Tools whose runs end only when the test lets them. */
class Gate {
  readonly started: string[] = [];
  readonly running = new Map<string, () => void>();
  most = 0;

  tool(name: string, fields: Parameters<typeof toolOf>[2] = {}): Tool {
    return toolOf(
      name,
      async (_, { callId }) => {
        this.started.push(callId);
        const { promise, resolve } = Promise.withResolvers<void>();
        this.running.set(callId, resolve);
        this.most = Math.max(this.most, this.running.size);
        await promise;
        return `result of ${callId}`;
      },
      fields,
    );
  }

  /** Waits until exactly these run, and sees that no other one begins. */
  async runs(...ids: string[]): Promise<void> {
    await expect.poll(() => [...this.running.keys()].toSorted()).toEqual(ids.toSorted());
    for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
    expect([...this.running.keys()].toSorted()).toEqual(ids.toSorted());
  }

  end(id: string): void {
    this.running.get(id)!();
    this.running.delete(id);
  }
}

/** A turn with one call of each named tool, `c1` and so on. */
function turnOf(names: readonly string[], config: Partial<AgentConfig>) {
  const calls = names.map((name, index) => ({ id: `c${index + 1}`, name }));
  const { agent } = scripted([{ calls }, "done"], config);
  const reply = agent.call("go");
  return { agent, reply, ids: calls.map(({ id }) => id) };
}

const FIVE = ["t", "t", "t", "t", "t"];

async function expectAll({ agent, reply, ids }: ReturnType<typeof turnOf>): Promise<void> {
  expect((await reply).text).toBe("done");
  const results = resultsOf(await agent.messages());
  expect(results.map((result) => [result.id, outputOf(result)])).toEqual(
    ids.map((id) => [id, `result of ${id}`]),
  );
}

describe("how many calls of a batch run at once", () => {
  test("parallelToolCalls 2 runs two calls at once and starts the next in call order when one ends", async () => {
    const gate = new Gate();
    const turn = turnOf(FIVE, { tools: [gate.tool("t")], parallelToolCalls: 2 });
    await gate.runs("c1", "c2");
    gate.end("c2");
    await gate.runs("c1", "c3");
    gate.end("c3");
    await gate.runs("c1", "c4");
    gate.end("c1");
    await gate.runs("c4", "c5");
    gate.end("c5");
    await gate.runs("c4");
    gate.end("c4");
    await expectAll(turn);
    expect([gate.started, gate.most]).toEqual([["c1", "c2", "c3", "c4", "c5"], 2]);
  });

  test.each([false, 1, undefined])(
    "parallelToolCalls %s runs one call at a time",
    async (parallelToolCalls) => {
      const gate = new Gate();
      const turn = turnOf(FIVE, {
        tools: [gate.tool("t")],
        ...(parallelToolCalls !== undefined && { parallelToolCalls }),
      });
      for (const id of turn.ids) {
        await gate.runs(id);
        gate.end(id);
      }
      await expectAll(turn);
      expect([gate.started, gate.most]).toEqual([turn.ids, 1]);
    },
  );

  test("parallelToolCalls true runs all calls at once", async () => {
    const gate = new Gate();
    const turn = turnOf(FIVE, { tools: [gate.tool("t")], parallelToolCalls: true });
    await gate.runs(...turn.ids);
    for (const id of turn.ids.toReversed()) gate.end(id);
    await expectAll(turn);
  });

  test("maxParallel bounds the calls of one tool and does not delay those of other tools", async () => {
    const gate = new Gate();
    const tools = [
      gate.tool("slow", { maxParallel: 1 }),
      gate.tool("pair", { maxParallel: 2 }),
      gate.tool("free"),
    ];
    const names = ["slow", "slow", "pair", "pair", "pair", "free", "free", "free"];
    const turn = turnOf(names, { tools, parallelToolCalls: true });
    await gate.runs("c1", "c3", "c4", "c6", "c7", "c8");
    gate.end("c4");
    await gate.runs("c1", "c3", "c5", "c6", "c7", "c8");
    gate.end("c7");
    await gate.runs("c1", "c3", "c5", "c6", "c8");
    gate.end("c1");
    await gate.runs("c2", "c3", "c5", "c6", "c8");
    for (const id of ["c8", "c6", "c5", "c3", "c2"]) gate.end(id);
    await expectAll(turn);
  });

  test("the smaller of maxParallel and parallelToolCalls applies", async () => {
    const gate = new Gate();
    const tools = [gate.tool("slow", { maxParallel: 2 }), gate.tool("free")];
    const turn = turnOf(["slow", "slow", "slow", "free", "free"], { tools, parallelToolCalls: 3 });
    await gate.runs("c1", "c2", "c4");
    gate.end("c4");
    await gate.runs("c1", "c2", "c5");
    gate.end("c1");
    await gate.runs("c2", "c3", "c5");
    for (const id of ["c5", "c3", "c2"]) gate.end(id);
    await expectAll(turn);
  });

  test("a retry that is due waits for a free place, without keeping the process busy", async () => {
    const gate = new Gate();
    let attempts = 0;
    const flaky = toolOf(
      "flaky",
      () => {
        if (++attempts === 1) throw new Error("not yet");
        return "result of c1";
      },
      { execution: { maxAttempts: 2, initialBackoffMs: 30, maxBackoffMs: 30 } },
    );
    const turn = turnOf(["flaky", "t", "t"], {
      tools: [flaky, gate.tool("t")],
      parallelToolCalls: 2,
      toolOptions: { execution: { timeoutMs: 5_000 } },
    });
    await gate.runs("c2", "c3");
    gate.end("c2");
    await expect.poll(() => attempts).toBe(2);
    gate.end("c3");
    await expectAll(turn);
  });
});

test("maxParallel of one tool counts separately in two agents", async () => {
  const gate = new Gate();
  const tools = [gate.tool("t", { maxParallel: 1 })];
  const calls = (...ids: string[]) => ({ calls: ids.map((id) => ({ id, name: "t" })) });
  const one = scripted([calls("a1", "a2"), "done"], { tools, parallelToolCalls: true }).agent.call("go");
  const two = scripted([calls("b1", "b2"), "done"], { tools, parallelToolCalls: true }).agent.call("go");
  await gate.runs("a1", "b1");
  gate.end("b1");
  await gate.runs("a1", "b2");
  gate.end("a1");
  await gate.runs("a2", "b2");
  gate.end("a2");
  gate.end("b2");
  expect([(await one).text, (await two).text]).toEqual(["done", "done"]);
});
