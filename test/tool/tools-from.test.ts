// Tools that are made of an object.
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, toolsFrom, toolResultsOf, type ToolContext } from "agentchart";
import { scriptedModel } from "agentchart/testing";

class Ledger {
  readonly currency: string = "EUR";

  total(_input: object): string {
    return `0 ${this.currency}`;
  }
}

class Bank extends Ledger {
  #balances = new Map([["ann", 10]]);

  balance({ account }: { readonly account: string }): { readonly cents: number } {
    return { cents: this.#balances.get(account) ?? 0 };
  }

  async *pay(
    { account, cents }: { readonly account: string; readonly cents: number },
    { idempotencyKey }: ToolContext,
  ): AsyncGenerator<string, string> {
    yield "paying";
    this.#balances.set(account, this.balance({ account }).cents - cents);
    return `paid, ${idempotencyKey.split("/").at(-1)}`;
  }
}

const account = z.string();

describe("tools of an object", () => {
  test("run its methods with the object as `this`, inherited ones too", async () => {
    const tools = toolsFrom(new Bank(), {
      balance: { description: "Returns a balance.", input: z.object({ account }), idempotent: true },
      pay: {
        name: "pay_out",
        description: "Pays money out.",
        input: z.object({ account, cents: z.coerce.number() }),
        maxParallel: 1,
      },
      total: { description: "Returns the sum.", input: z.object({}) },
    });
    expect(tools.map(({ name, onRestart, maxParallel }) => [name, onRestart, maxParallel])).toEqual([
      ["balance", "retry", undefined],
      ["pay_out", "ask", 1],
      ["total", "ask", undefined],
    ]);
    const calls = [
      { id: "c1", name: "pay_out", input: { account: "ann", cents: "3" } },
      { id: "c2", name: "balance", input: { account: "ann" } },
      { id: "c3", name: "total", input: {} },
      { id: "c4", name: "balance", input: { account: 7 } },
    ];
    const agent = createAgent({ name: "bank", model: scriptedModel([{ calls }, "Done."]), tools });
    await agent.call("go");
    const results = (await agent.messages()).flatMap(toolResultsOf);
    expect(results.map(({ output: [first] }) => first)).toMatchObject([
      { text: "paid, c1" },
      { text: '{"cents":7}' },
      { text: "0 EUR" },
      { text: expect.stringContaining("account") as string },
    ]);
  });

  test("are those of a plain object too, and a permission of a row holds", async () => {
    const light = { isOn: false, turn: ({ on }: { on: boolean }) => ((light.isOn = on), "ok") };
    const input = z.object({ on: z.boolean() });
    const tools = toolsFrom(light, {
      turn: { description: "Turns it on or off.", input, permission: "ask" },
    });
    const calls = [{ id: "c1", name: "turn", input: { on: true } }];
    const agent = createAgent({ name: "home", model: scriptedModel([{ calls }, "Done."]), tools });
    expect((await agent.call("go")).pending.map(({ callId }) => callId)).toEqual(["c1"]);
    expect(light.isOn).toBe(false);
    await agent.decide("c1", "approve");
    await agent.call();
    expect(light.isOn).toBe(true);
  });

  test("take what their schema returns", () => {
    const row = { description: "", input: z.object({ account: z.number() }) };
    // @ts-expect-error the method takes a string
    expect(toolsFrom(new Bank(), { balance: row })).toHaveLength(1);
  });

  test("run static methods of a class, inherited ones too, with the class as `this`", async () => {
    class Rates {
      static base = 2;
      readonly kind = "rates";

      static twice({ value }: { readonly value: number }): number {
        return value * this.base;
      }
    }
    class Today extends Rates {
      static override base = 3;

      static day(): string {
        return "Monday";
      }
    }
    const tools = toolsFrom(Today, {
      twice: { description: "Doubles.", input: z.object({ value: z.number() }) },
      day: { description: "Names the day.", input: z.object({}) },
    });
    const calls = [
      { name: "twice", input: { value: 2 } },
      { name: "day", input: {} },
    ];
    const agent = createAgent({ name: "desk", model: scriptedModel([{ calls }, "Done."]), tools });
    await agent.call("go");
    const results = (await agent.messages()).flatMap(toolResultsOf);
    expect(results.map(({ output: [first] }) => first)).toMatchObject([{ text: "6" }, { text: "Monday" }]);
    const row = { description: "d", input: { type: "object" } };
    for (const name of ["call", "bind", "prototype", "base", "constructor"])
      expect(() => toolsFrom(Today as never, { [name]: row } as never)).toThrow(
        `'${name}' is not a method of the object; expected one of day, twice.`,
      );
  });

  const row = { description: "d", input: { type: "object" } };
  test.each([
    ["no object", undefined, {}, "expected an object or an instance of a class"],
    ["no table", new Bank(), undefined, "expected a table of methods"],
    [
      "a row without a method",
      new Bank(),
      { pays: row },
      "'pays' is not a method of the object; expected one of balance, pay, total.",
    ],
    ["a field that is not a method", new Bank(), { currency: row }, "'currency' is not a method"],
    ["the constructor", new Bank(), { constructor: row }, "'constructor' is not a method"],
    ["a method that every object has", new Bank(), { toString: row }, "'toString' is not a method"],
    ["an object without methods", {}, { pay: row }, "its methods, but it has none"],
    ["a row that is not an object", new Bank(), { pay: "pay" }, "the row 'pay' is not an object"],
    [
      "a row with a function",
      new Bank(),
      { pay: { ...row, execute: () => 1 } },
      "the row 'pay' has an `execute`",
    ],
    ["a misspelt field", new Bank(), { pay: { ...row, permision: "ask" } }, "did you mean `permission`?"],
    ["a wrong name", new Bank(), { pay: { ...row, name: "pay out" } }, "Tool 'pay out': `name` is"],
    ["a name twice", new Bank(), { pay: row, total: { ...row, name: "pay" } }, "two rows are named 'pay'"],
  ])("are refused for %s", (_, object, table, problem) => {
    expect(() => toolsFrom(object as never, table as never)).toThrow(
      expect.objectContaining({
        code: "config/invalid",
        message: expect.stringContaining(problem) as string,
      }),
    );
  });
});
