// The precedence of permission rules, and what an approval remembers.
import { describe, expect, test } from "vitest";
import type { AgentConfig, JsonObject, PermissionAction } from "agentchart";
import { memoryStore } from "../../../src/store/memory.ts";
import { outputOf, resultsOf, scripted, toolOf } from "../../support/agents.ts";

type Rules = NonNullable<AgentConfig["permissions"]>;

const pay = (id: string, input: JsonObject = {}) => ({ calls: [{ id, name: "pay", input }] });
const rule = (action: PermissionAction, when?: (input: JsonObject) => boolean) => ({
  tool: "pay",
  action,
  ...(when && { when }),
});
const large = ({ amount }: JsonObject): boolean => Number(amount) > 100;

/** What becomes of a call under these rules: it runs, somebody is asked, or it is denied. */
async function actionOf(permissions: Rules, permission?: PermissionAction): Promise<PermissionAction> {
  let ran = 0;
  const tools = [toolOf("pay", () => `paid ${++ran}`, permission && { permission })];
  const { agent } = scripted([pay("c1"), "done"], { tools, permissions });
  const { reason } = await agent.call("go");
  if (reason === "APPROVAL_REQUIRED") {
    expect(ran).toBe(0);
    return "ask";
  }
  const [result] = resultsOf(await agent.messages());
  expect(result!.state).toBe(ran === 1 ? "success" : "denied");
  return ran === 1 ? "allow" : "deny";
}

describe("the precedence of permission rules", () => {
  test.each<[string, Rules, PermissionAction | undefined, PermissionAction]>([
    ["ask rule over the tool's own allow", { rules: [rule("ask")] }, "allow", "ask"],
    ["ask rule over the tool's own deny", { rules: [rule("ask")] }, "deny", "ask"],
    ["the tool's own ask over an allow rule", { rules: [rule("allow")] }, "ask", "ask"],
    ["the tool's own deny over an allow rule", { rules: [rule("allow")] }, "deny", "deny"],
    ["the tool's own allow over otherwise deny", { otherwise: "deny" }, "allow", "allow"],
    ["allow rule over otherwise deny", { rules: [rule("allow")], otherwise: "deny" }, undefined, "allow"],
    ["allow rule over otherwise ask", { rules: [rule("allow")], otherwise: "ask" }, undefined, "allow"],
    ["otherwise deny over nothing", { otherwise: "deny" }, undefined, "deny"],
    ["otherwise ask over nothing", { otherwise: "ask" }, undefined, "ask"],
    ["nothing", {}, undefined, "allow"],
    [
      "deny rule over ask rule, though it comes later",
      { rules: [rule("ask"), rule("deny")] },
      "allow",
      "deny",
    ],
    [
      "ask rule over allow rule, though it comes later",
      { rules: [rule("allow"), rule("ask")] },
      "allow",
      "ask",
    ],
    ["a rule for every tool", { rules: [{ tool: "*", action: "deny" }] }, "allow", "deny"],
    ["a rule whose `when` does not hold", { rules: [rule("deny", large)] }, undefined, "allow"],
  ])("%s", async (_, permissions, own, expected) => {
    expect(await actionOf(permissions, own)).toBe(expected);
  });

  /** Approves the first call for good, and gives the second one. */
  async function second(permissions: Rules, permission?: PermissionAction) {
    let ran = 0;
    const tools = [toolOf("pay", () => `paid ${++ran}`, permission && { permission })];
    const turns = [pay("c1", { amount: 1 }), pay("c2", { amount: 1000 }), "done"];
    const { agent } = scripted(turns, { tools, permissions });
    expect((await agent.call("go")).reason).toBe("APPROVAL_REQUIRED");
    await agent.decide("c1", { approve: true, remember: "tool" });
    expect((await agent.call()).text).toBe("done");
    return resultsOf(await agent.messages()).map(({ state }) => state);
  }

  test("a deny rule overrides a remembered approval", async () => {
    expect(await second({ rules: [rule("deny", large), rule("ask")] })).toEqual(["success", "denied"]);
  });

  test("a remembered approval overrides an ask rule", async () => {
    expect(await second({ rules: [rule("ask")] })).toEqual(["success", "success"]);
  });

  test("a remembered approval overrides the tool's own permission ask", async () => {
    expect(await second({}, "ask")).toEqual(["success", "success"]);
  });
});

describe("what an approval remembers", () => {
  const tools = [
    toolOf("pay", () => "paid", { permission: "ask" }),
    toolOf("ship", () => "sent", { permission: "ask" }),
  ];
  const later = [
    pay("c2", { amount: 1 }),
    pay("c3", { amount: 2 }),
    { calls: [{ id: "c4", name: "ship", input: { amount: 1 } }] },
  ];

  test.each([
    ["tool", "c4"],
    ["input", "c3"],
  ] as const)(
    "an approval remembered for this %s applies in a session restored from a snapshot and from a store",
    async (remember, asked) => {
      const store = memoryStore();
      const config: Partial<AgentConfig> = { tools, store, sessionId: "s" };
      const first = scripted([pay("c1", { amount: 1 }), "done"], config).agent;
      await first.call("go");
      await first.decide("c1", { approve: true, remember });
      expect((await first.call()).text).toBe("done");
      const snapshot = JSON.parse(JSON.stringify(first.snapshot()));
      await first.close();
      for (const restored of [{ tools, sessionOptions: { snapshot } }, config]) {
        const { agent } = scripted(later, restored);
        expect((await agent.call("more")).pending.map(({ callId }) => callId)).toEqual([asked]);
      }
    },
  );
});

describe("a decision with an edit", () => {
  const ran: unknown[] = [];
  const order = {
    amount: 5,
    gift: false,
    note: null,
    lines: [{ sku: "a", count: 2 }],
    to: "b",
  } satisfies JsonObject;

  async function edited(edit: JsonObject, rules: Rules["rules"] = []) {
    ran.length = 0;
    const schema = {
      type: "object",
      properties: { amount: { type: "number" } },
      required: ["amount"],
    } as const;
    const tools = [toolOf("pay", (input) => `paid ${ran.push(input)}`, { permission: "ask", input: schema })];
    const { agent, model } = scripted([pay("c1", { amount: 1 }), "done"], { tools, permissions: { rules } });
    await agent.call("go");
    const left = await agent.decide("c1", { edit });
    expect([left, ran]).toEqual([[], []]);
    const reply = await agent.call();
    return { reply, model, result: resultsOf(await agent.messages())[0]! };
  }

  test("an edited call runs with exactly the edited input, and the next request has its result", async () => {
    const { reply, model, result } = await edited(order);
    expect([reply.text, ran]).toEqual(["done", [order]]);
    expect(result).toMatchObject({ id: "c1", state: "success" });
    const { account, ...seen } = result!;
    expect(account).toBeDefined(); // what became of the call is for people
    expect(resultsOf(model.requests[1]!.messages)).toEqual([seen]);
  });

  test("an edit survives a restore between the decision and the run", async () => {
    ran.length = 0;
    const tools = [toolOf("pay", (input) => `paid ${ran.push(input)}`, { permission: "ask" })];
    const first = scripted([pay("c1")], { tools }).agent;
    await first.call("go");
    await first.decide("c1", { edit: order });
    const snapshot = JSON.parse(JSON.stringify(first.snapshot()));
    const { agent } = scripted(["done"], { tools, sessionOptions: { snapshot } });
    expect(agent.status().pending).toMatchObject([{ decided: { edit: order } }]);
    await agent.call();
    expect(ran).toEqual([order]);
  });

  test.each<[string, JsonObject]>([
    ["of another type", { amount: "5" }],
    ["without what is required", {}],
  ])("an edit %s does not match the tool's schema, is refused and does not run", async (_, edit) => {
    await expect(edited(edit)).rejects.toMatchObject({
      code: "run/bad-decision",
      message: expect.stringContaining("amount") as unknown,
    });
    expect(ran).toEqual([]);
  });

  test("an edit that a deny rule matches does not run, though the original input was allowed", async () => {
    const { result } = await edited({ amount: 1000 }, [{ ...rule("deny", large), reason: "too much" }]);
    expect(ran).toEqual([]);
    expect(result.state).toBe("denied");
    expect(outputOf(result)).toBe("Permission denied by rules: too much");
  });

  test("an edit that an ask rule matches runs without another approval", async () => {
    await edited({ amount: 1000 }, [rule("ask", large)]);
    expect(ran).toEqual([{ amount: 1000 }]);
  });
});

describe("a batch of three calls that need approval", () => {
  const ORDERS = [
    ["c1", "c2", "c3"],
    ["c1", "c3", "c2"],
    ["c2", "c1", "c3"],
    ["c2", "c3", "c1"],
    ["c3", "c1", "c2"],
    ["c3", "c2", "c1"],
  ];
  const DECISIONS = { c1: "approve", c2: { deny: "no" }, c3: { edit: { amount: 9 } } } as const;

  test.each(ORDERS)("calls that are approved in the order %s, %s, %s run in call order", async (...order) => {
    const ran: unknown[] = [];
    const tools = [toolOf("pay", (input) => `paid ${ran.push(input)}`, { permission: "ask" })];
    const calls = ["c1", "c2", "c3"].map((id, amount) => ({ id, name: "pay", input: { amount } }));
    const { agent } = scripted([{ calls }, "done"], { tools });
    expect((await agent.call("go")).pending.map(({ callId }) => callId)).toEqual(["c1", "c2", "c3"]);
    for (const [index, id] of order.entries()) {
      await expect(agent.call()).rejects.toMatchObject({ code: "run/undecided" });
      const left = await agent.decide(id, DECISIONS[id as keyof typeof DECISIONS]);
      expect(left.map(({ callId }) => callId)).toEqual(order.slice(index + 1).toSorted());
      expect(ran).toEqual([]);
    }
    expect((await agent.call()).text).toBe("done");
    expect(ran).toEqual([{ amount: 0 }, { amount: 9 }]);
    const results = resultsOf(await agent.messages());
    expect(results.map(({ id, state }) => [id, state])).toEqual([
      ["c1", "success"],
      ["c2", "denied"],
      ["c3", "success"],
    ]);
  });

  test("two calls beside one that needs approval do not run before its decision and are not lost", async () => {
    const ran: unknown[] = [];
    const tool = (name: string, permission: PermissionAction) =>
      toolOf(name, () => `ran ${ran.push(name)}`, { permission });
    const tools = [tool("a", "allow"), tool("b", "ask"), tool("c", "allow")];
    const calls = ["a", "b", "c"].map((name) => ({ id: name, name }));
    const { agent } = scripted([{ calls }, "done"], { tools });
    const reply = await agent.call("go");
    expect(reply.pending.map(({ callId }) => callId)).toEqual(["b"]);
    expect(reply.content.map((block) => block.type === "tool_use" && block.id)).toEqual(["a", "b", "c"]);
    expect(ran).toEqual([]);
    await agent.decide("b", "deny");
    expect((await agent.call()).text).toBe("done");
    expect(ran).toEqual(["a", "c"]);
    expect(resultsOf(await agent.messages()).map(({ state }) => state)).toEqual([
      "success",
      "denied",
      "success",
    ]);
  });
});
