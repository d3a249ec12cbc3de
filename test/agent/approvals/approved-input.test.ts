// Approvals are bound to the arguments that were shown: a call whose arguments change afterwards does not run.
import { describe, expect, test } from "vitest";
import type { Decision, Hook, JsonObject } from "agentchart";
import type { ScriptedTurn } from "agentchart/testing";
import { resultsOf, scripted, toolOf } from "../../support/agents.ts";

type Changed = (input: JsonObject) => JsonObject | undefined;

const ASKED = { calls: [{ id: "c1", name: "pay", input: { amount: 1 } }] };

/** An agent whose call waits because a hook asked to stop; `change` is what preActing makes of its input. */
function stopped(change: Changed, fields: Parameters<typeof toolOf>[2] = {}) {
  const ran: unknown[] = [];
  const hooks: Hook[] = [
    { name: "stop", postReasoning: ({ iteration }) => ({ stop: iteration === 0 }) },
    {
      name: "change",
      preActing: ({ call }) => {
        const input = change(call.input);
        return input && { input };
      },
    },
  ];
  const tools = [toolOf("pay", (input) => `paid ${ran.push(input)}`, fields)];
  return { ran, config: { hooks, tools }, ...scripted([ASKED, "done"], { hooks, tools }) };
}

const more: Changed = ({ amount }) => ({ amount: Number(amount) + 999 });

describe("an approved call that a hook's stop delayed", () => {
  test.each<Decision>(["approve", "retry", { approve: true, remember: "tool" }])("%j", async (decision) => {
    const { agent, ran } = stopped(more);
    const [asked] = (await agent.call("go")).pending;
    expect(asked).toMatchObject({ waitsFor: "stopRequested", input: { amount: 1 } });
    await agent.decide("c1", decision, { argsHash: asked!.argsHash });
    const reply = await agent.call();
    expect(reply).toMatchObject({ reason: "APPROVAL_REQUIRED", pending: [{ input: { amount: 1000 } }] });
    const [again] = reply.pending;
    expect(again!.reason).toContain("has changed");
    expect(again!.argsHash).not.toBe(asked!.argsHash);
    expect(ran).toEqual([]);
    await expect(agent.call()).rejects.toMatchObject({ code: "run/undecided" });
    await expect(agent.decide("c1", "approve", { argsHash: asked!.argsHash })).rejects.toMatchObject({
      code: "run/stale-decision",
    });
    await agent.decide("c1", "approve", { argsHash: again!.argsHash });
    expect((await agent.call()).text).toBe("done");
    expect(ran).toEqual([{ amount: 1000 }]);
  });

  test("an approved call whose input a hook changes after a restore does not run", async () => {
    const first = stopped(more);
    await first.agent.call("go");
    await first.agent.decide("c1", "approve");
    const snapshot = JSON.parse(JSON.stringify(first.agent.snapshot()));
    const { agent } = scripted(["done"], { ...first.config, sessionOptions: { snapshot } });
    expect((await agent.call()).reason).toBe("APPROVAL_REQUIRED");
    expect(first.ran).toEqual([]);
  });

  test.each<[string, Changed]>([
    ["says nothing", () => undefined],
    ["returns the same", ({ amount }) => ({ amount: amount! })],
  ])("a hook that %s keeps the approval, with and without presets", async (_, change) => {
    const { agent, ran } = stopped(change, { preset: { to: "b" } });
    await agent.call("go");
    await agent.decide("c1", "approve");
    expect((await agent.call()).text).toBe("done");
    expect(ran).toEqual([{ amount: 1, to: "b" }]);
  });

  test("a call approved with an edit runs with the edited input", async () => {
    const { agent, ran } = stopped(more);
    await agent.call("go");
    await agent.decide("c1", { edit: { amount: 7 } });
    expect((await agent.call()).text).toBe("done");
    expect(ran).toEqual([{ amount: 7 }]);
  });

  test("a call that needed no approval runs with the input that the hook made", async () => {
    const { agent, ran } = stopped(more);
    await agent.call("go");
    expect((await agent.call()).text).toBe("done");
    expect(ran).toEqual([{ amount: 1000 }]);
  });
});

describe("a call approved because of an ask rule", () => {
  test("preActing sees an approved call once, before the approval", async () => {
    const { agent, ran } = stopped(more, { permission: "ask" });
    await agent.call("go");
    const [asked] = (await agent.call()).pending;
    expect(asked!.input).toEqual({ amount: 1000 });
    await agent.decide("c1", "approve", { argsHash: asked!.argsHash });
    expect((await agent.call()).text).toBe("done");
    expect(ran).toEqual([{ amount: 1000 }]);
  });

  test("an approval does not apply to a repeated run whose input a hook changes", async () => {
    let times = 0;
    const hooks: Hook[] = [{ name: "count", preActing: () => ({ input: { times: ++times } }) }];
    const tools = [toolOf("pay", undefined, { permission: "ask" })];
    const { agent } = scripted([ASKED, "done"], { hooks, tools });
    const [asked] = (await agent.call("go")).pending;
    await agent.decide("c1", "approve");
    expect((await agent.call()).reason).toBe("TOOL_SUSPENDED");
    const again = await agent.call();
    expect(again).toMatchObject({ reason: "APPROVAL_REQUIRED", pending: [{ input: { times: 2 } }] });
    expect(again.pending[0]!.argsHash).not.toBe(asked!.argsHash);
    expect(resultsOf(await agent.messages())).toEqual([]);
  });
});

const garbled: ScriptedTurn = [
  { type: "tool.delta", key: 0, id: "c1", name: "pay", args: '{"amount": 1' },
  { type: "finish", reason: "tool_calls" },
];

test("a call whose arguments are not JSON runs with the input of a person's edit", async () => {
  const ran: unknown[] = [];
  const hooks: Hook[] = [{ name: "stop", postReasoning: ({ iteration }) => ({ stop: iteration === 0 }) }];
  const tools = [toolOf("pay", (input) => `paid ${ran.push(input)}`)];
  const { agent } = scripted([garbled, "done"], { hooks, tools });
  await agent.call("go");
  await agent.decide("c1", { edit: { amount: 7 } });
  expect((await agent.call()).text).toBe("done");
  expect(ran).toEqual([{ amount: 7 }]);
});

test("a call whose arguments are not JSON runs with the input that a hook returns", async () => {
  const seen: unknown[] = [];
  const hooks: Hook[] = [
    {
      name: "mend",
      preActing: ({ call }) => {
        seen.push(call.rawInput);
        return { input: { amount: 1 } };
      },
    },
  ];
  const ran: unknown[] = [];
  const tools = [toolOf("pay", (input) => `paid ${ran.push(input)}`)];
  const { agent } = scripted([garbled, "done"], { hooks, tools });
  expect((await agent.call("go")).text).toBe("done");
  expect([seen, ran]).toEqual([['{"amount": 1'], [{ amount: 1 }]]);
});
