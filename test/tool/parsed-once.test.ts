// The input of a call is parsed once.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createToolkit, defineTool, type AgentConfig, type Tool } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import type { ScriptedTurn } from "agentchart/testing";
import { outputOf, resultsOf, scripted } from "../support/agents.ts";

/** What the transform of {@link counted} makes: a value that is not JSON. */
class Amount {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

const ASKED: ScriptedTurn = { calls: [{ id: "c1", name: "pay", input: { amount: 1 } }] };

/** A tool that counts the runs of its schema's transform, and records what it executes. */
function counted(fields: Partial<Parameters<typeof defineTool>[0]> = {}) {
  const parsed: number[] = [];
  const values: WeakRef<Amount>[] = [];
  const executed: unknown[] = [];
  const input = z.object({
    amount: z.number().transform((value) => {
      parsed.push(value);
      const amount = new Amount(value);
      values.push(new WeakRef(amount));
      return amount;
    }),
  });
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    input,
    execute: ({ amount }) => {
      executed.push(amount.value);
      return amount instanceof Amount ? "paid" : "not parsed";
    },
    ...(fields as object),
  }) as Tool;
  return { parsed, values, executed, tools: [pay] };
}

const restored = (config: Partial<AgentConfig>, snapshot: unknown) =>
  scripted(["done"], {
    ...config,
    sessionOptions: { ...config.sessionOptions, snapshot: JSON.parse(JSON.stringify(snapshot)) },
  });

describe("an allowed call", () => {
  test("parses its input once and executes the parsed value", async () => {
    const { parsed, executed, tools } = counted();
    const { agent } = scripted([ASKED, "done"], { tools });
    expect((await agent.call("go")).text).toBe("done");
    expect(outputOf(resultsOf(await agent.messages())[0])).toBe("paid");
    expect([parsed, executed]).toEqual([[1], [1]]);
  });

  test("parses its input once if rules and the tool itself judge it", async () => {
    const seen: unknown[] = [];
    const { parsed, tools } = counted({
      permission: (input) => {
        seen.push(input);
        return "allow";
      },
    });
    const rules = [{ tool: "pay", action: "deny" as const, when: (input: object) => seen.push(input) < 0 }];
    const { agent } = scripted([ASKED, "done"], { tools, permissions: { rules } });
    await agent.call("go");
    expect(parsed).toEqual([1]);
    expect(seen).toEqual([{ amount: new Amount(1) }, { amount: new Amount(1) }]);
  });

  test("parses its input once if its schema is asynchronous", async () => {
    let times = 0;
    const input = z.object({ amount: z.number().transform(async (value) => (times++, value)) });
    const pay = defineTool({ name: "pay", description: "Pays.", input, execute: ({ amount }) => amount });
    const { agent } = scripted([ASKED, "done"], { tools: [pay] });
    await agent.call("go");
    expect(outputOf(resultsOf(await agent.messages())[0])).toBe("1");
    expect(times).toBe(1);
  });

  test("parses the input of each call of a batch once", async () => {
    const { parsed, tools } = counted({ maxParallel: 2 });
    const calls = [1, 2, 3, 4].map((amount) => ({ name: "pay", input: { amount } }));
    const { agent } = scripted([{ calls }, "done"], { tools, parallelToolCalls: true });
    await agent.call("go");
    expect(parsed).toEqual([1, 2, 3, 4]);
  });

  test("parses its input once in a session with a store", async () => {
    const { parsed, tools } = counted();
    const { agent } = scripted([ASKED, "done"], { tools, store: memoryStore() });
    await agent.call("go");
    await agent.close();
    expect(parsed).toEqual([1]);
  });

  test("executes what was judged, whatever a predicate does to its argument", async () => {
    const spoil = (input: object): boolean => {
      Object.assign(input, { amount: new Amount(999) });
      return true;
    };
    const { executed, tools } = counted({
      permission: (input) => (spoil(input as object) ? "allow" : "deny"),
    });
    const rules = [{ tool: "pay", action: "allow" as const, when: spoil }];
    const { agent } = scripted([ASKED, "done"], { tools, permissions: { rules } });
    await agent.call("go");
    expect(executed).toEqual([1]);
  });
});

describe("an attempt after the first", () => {
  test("parses the input once more and does not see what the former attempt did to it", async () => {
    const seen: unknown[] = [];
    const { parsed, tools } = counted({
      execution: { maxAttempts: 3, initialBackoffMs: 1, retryOn: "all" },
      execute: (input) => {
        const given = input as { amount: unknown };
        seen.push(given.amount);
        given.amount = "spoiled";
        if (seen.length < 3) throw new Error("busy");
        return "paid";
      },
    });
    const { agent } = scripted([ASKED, "done"], { tools });
    await agent.call("go");
    expect(seen).toEqual([new Amount(1), new Amount(1), new Amount(1)]);
    expect(parsed).toEqual([1, 1, 1]);
  });
});

describe("a call that a person decides about", () => {
  test("parses its input once if it is approved in the process that asked", async () => {
    const { parsed, executed, tools } = counted({ permission: "ask" });
    const { agent } = scripted([ASKED, "done"], { tools });
    const [asked] = (await agent.call("go")).pending;
    await agent.decide("c1", "approve", { argsHash: asked!.argsHash });
    expect((await agent.call()).text).toBe("done");
    expect([parsed, executed]).toEqual([[1], [1]]);
  });

  test("parses its input once more if the session was restored before the approval", async () => {
    const { parsed, executed, tools } = counted({ permission: "ask" });
    const first = scripted([ASKED], { tools }).agent;
    await first.call("go");
    const { agent } = restored({ tools }, first.snapshot());
    await agent.decide("c1", "approve");
    expect((await agent.call()).text).toBe("done");
    expect([parsed, executed]).toEqual([[1, 1], [1]]);
  });

  test("parses its input once more if the session was restored between approval and execution", async () => {
    const { parsed, executed, tools } = counted({ permission: "ask" });
    const store = memoryStore();
    const config = { tools, store, sessionId: "s" };
    const first = scripted([ASKED], config).agent;
    await first.call("go");
    await first.decide("c1", "approve");
    await first.close();
    const { agent } = scripted(["done"], config);
    expect((await agent.call()).text).toBe("done");
    expect([parsed, executed]).toEqual([[1, 1], [1]]);
  });

  test("parses the edited input when it is decided and when it runs, after the original one", async () => {
    const { parsed, executed, tools } = counted({ permission: "ask" });
    const { agent } = scripted([ASKED, "done"], { tools });
    await agent.call("go");
    await agent.decide("c1", { edit: { amount: 7 } });
    expect((await agent.call()).text).toBe("done");
    expect([parsed, executed]).toEqual([[1, 7, 7], [7]]);
  });

  test("asks again, and executes nothing, if a preset changed after the approval", async () => {
    const { parsed, executed, tools } = counted({ permission: "ask" });
    const { agent } = scripted([ASKED, "done"], { tools });
    const [asked] = (await agent.call("go")).pending;
    await agent.decide("c1", "approve");
    agent.toolkit.setPreset("pay", { amount: 5 });
    const [again] = (await agent.call()).pending;
    expect(again!.argsHash).not.toBe(asked!.argsHash);
    expect([parsed, executed]).toEqual([[1], []]);
    await agent.decide("c1", "approve", { argsHash: again!.argsHash });
    expect((await agent.call()).text).toBe("done");
    expect([parsed, executed]).toEqual([[1, 5], [5]]);
  });

  test("executes a value of the new schema if another tool took the name after the approval", async () => {
    const old = counted({ permission: "ask" });
    const renewed = counted({ permission: "ask" });
    const { agent } = scripted([ASKED, "done"], { tools: old.tools });
    await agent.call("go");
    await agent.decide("c1", "approve");
    agent.toolkit.remove("pay");
    agent.toolkit.add(renewed.tools[0]!);
    expect((await agent.call()).text).toBe("done");
    expect([old.parsed, renewed.parsed]).toEqual([[1], [1]]);
    expect([old.executed, renewed.executed]).toEqual([[], [1]]);
  });
});

describe("other inputs", () => {
  test("the arguments of an external call are parsed once", async () => {
    const { parsed, tools } = counted({ execute: undefined as never });
    const { agent } = scripted([ASKED, "done"], { tools });
    expect((await agent.call("go")).reason).toBe("TOOL_SUSPENDED");
    expect(parsed).toEqual([1]);
  });

  test("toolkit.invoke parses its input once", async () => {
    const { parsed, executed, tools } = counted();
    await createToolkit({ tools }).invoke("pay", { amount: 3 });
    expect([parsed, executed]).toEqual([[3], [3]]);
  });

  test("a structured answer is parsed once as the input of its tool and once for the reply", async () => {
    let times = 0;
    const output = z.object({ n: z.number().transform((n) => (times++, n)) });
    const calls = [{ name: "generate_response", input: { response: { n: 1 } } }];
    const { agent } = scripted([{ calls }]);
    expect((await agent.call("go", { output })).output).toEqual({ n: 1 });
    expect(times).toBe(2);
  });
});

describe("a parsed value", () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;

  async function isDropped({ values }: ReturnType<typeof counted>): Promise<boolean> {
    for (let round = 0; round < 20 && values.some((each) => each.deref()); round++) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      collect();
    }
    return values.every((each) => each.deref() === undefined);
  }

  /** An agent whose call waits for an approval, its value kept. */
  async function asking() {
    const tool = counted({ permission: "ask" });
    const { agent } = scripted([ASKED, "done"], { tools: tool.tools });
    await agent.call("go");
    expect(tool.values).toHaveLength(1);
    return { tool, agent };
  }

  test("is kept while its call waits for a decision", async () => {
    const { tool, agent } = await asking();
    expect(await isDropped(tool)).toBe(false);
    expect(agent.status().phase).toBe("suspended");
  });

  test("is dropped when the call has been executed", async () => {
    const tool = counted();
    const { agent } = scripted([ASKED, "done"], { tools: tool.tools });
    await agent.call("go");
    expect(await isDropped(tool)).toBe(true);
    expect(agent.status().phase).toBe("stopped");
  });

  test("is dropped when the call is denied", async () => {
    const { tool, agent } = await asking();
    await agent.decide("c1", "deny");
    await agent.call();
    expect(await isDropped(tool)).toBe(true);
    expect(agent.status().phase).toBe("stopped");
  });

  test("is dropped when a person answers the call", async () => {
    const { tool, agent } = await asking();
    await agent.decide("c1", { answer: "paid by hand" });
    await agent.call();
    expect(await isDropped(tool)).toBe(true);
    expect(agent.status().phase).toBe("stopped");
  });

  test("is dropped when the suspended turn is interrupted", async () => {
    const { tool, agent } = await asking();
    expect(agent.interrupt()).toBe(true);
    await expect.poll(() => agent.status().phase).toBe("stopped");
    expect(await isDropped(tool)).toBe(true);
    expect(agent.status().phase).toBe("stopped");
  });

  test("is dropped when the turn is interrupted while the input is being parsed", async () => {
    const tool = counted();
    const [started, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const input = z.object({
      amount: z.number().transform(async (value) => {
        started.resolve();
        await gate.promise;
        const amount = new Amount(value);
        tool.values.push(new WeakRef(amount));
        return amount;
      }),
    });
    const pay = defineTool({ name: "pay", description: "Pays.", input, execute: () => "paid" });
    const { agent } = scripted([ASKED, "done"], { tools: [pay], turnOptions: { interruptGraceMs: 1 } });
    const turn = agent.call("go");
    await started.promise;
    agent.interrupt();
    expect((await turn).reason).toBe("INTERRUPTED");
    gate.resolve();
    await expect.poll(() => tool.values).toHaveLength(1);
    expect(await isDropped(tool)).toBe(true);
    expect(agent.status().phase).toBe("stopped");
  });

  test("is dropped when another session is loaded", async () => {
    const { tool, agent } = await asking();
    const store = memoryStore();
    const other = scripted(["hello"]).agent;
    await other.call("hi");
    await other.saveTo(store, "other");
    await agent.loadFrom(store, "other");
    expect(await isDropped(tool)).toBe(true);
    expect(await agent.messages()).toHaveLength(2);
  });

  test("is dropped when the agent shuts down", async () => {
    const { tool, agent } = await asking();
    await agent.shutdown();
    expect(await isDropped(tool)).toBe(true);
    expect(agent.name).toBe("bot");
  });
});
