// The services and events of a turn, counted.
import { describe, expect, test } from "vitest";
import { defineTool, type AgentConfig, type Tool } from "agentchart";
import { z } from "zod";
import { outputOf, resultsOf, scripted, toolOf } from "../../support/agents.ts";
import { call } from "../../support/trace.ts";

const ok = (fields: object = {}): Tool => toolOf("ok", () => "done", fields);
const turns = [{ calls: [call("c1")] }, "end"];

type Counts = {
  readonly events: number;
  readonly microsteps: number;
  readonly snapshots: number;
  readonly actors: number;
};

/** What XState does in a turn of so many rounds, each a model call and a tool call. */
async function counted(rounds: number, config: Partial<AgentConfig>): Promise<Counts> {
  const counts = { events: 0, microsteps: 0, snapshots: 0, actors: 0 };
  const turns = Array.from({ length: rounds }, (_, n) => ({ calls: [{ id: `c${n}`, name: "ok" }] }));
  const { agent } = scripted([...turns, "end"], {
    tools: [toolOf("ok", () => "done")],
    maxIters: rounds + 1,
    ...config,
    inspect: (event) => {
      if (event.type === "@xstate.actor") counts.actors++;
      else if (event.type === "@xstate.snapshot") counts.snapshots++;
      else if (event.type === "@xstate.microstep") counts.microsteps++;
      else if (event.type === "@xstate.event" && event.actorRef === agent.actor) counts.events++;
    },
  });
  await agent.call("go");
  await agent.close();
  return counts;
}

async function perIteration(config: Partial<AgentConfig> = {}): Promise<Counts> {
  const [few, many] = [await counted(2, config), await counted(7, config)];
  const names = Object.keys(few) as (keyof Counts)[];
  return Object.fromEntries(names.map((name) => [name, (many[name] - few[name]) / 5])) as Counts;
}

test("an iteration is two events, microsteps for the decisions behind them, and an actor for each thing that takes time", async () => {
  expect(await perIteration()).toEqual({ events: 2, microsteps: 6, snapshots: 6, actors: 2 });
});

test("a review costs an iteration one more event and actor", async () => {
  const judged = { permissions: { rules: [{ tool: "ok", action: "allow" as const, when: () => true }] } };
  expect(await perIteration(judged)).toEqual({ events: 3, microsteps: 7, snapshots: 9, actors: 3 });
});

/** The services of the chart that run during a call. */
async function servicesOf(config: Partial<AgentConfig>, script = turns) {
  const services: string[] = [];
  const { agent } = scripted(script, {
    ...config,
    inspect: (event) => {
      if (event.type !== "@xstate.actor") return;
      services.push(String((event.actorRef as { readonly src?: unknown }).src));
    },
  });
  const reply = await agent.call("go");
  return { agent, reply, services: services.filter((src) => src === "reviewCalls" || src === "runTool") };
}

const PERMISSIONS: readonly (readonly [string, Partial<AgentConfig>, boolean])[] = [
  ["nothing is said about it", { tools: [ok()] }, false],
  [
    "it is allowed by itself",
    { tools: [ok({ permission: "allow" })], permissions: { otherwise: "ask" } },
    false,
  ],
  [
    "a rule allows it",
    { tools: [ok()], permissions: { otherwise: "ask", rules: [{ tool: "o*", action: "allow" }] } },
    false,
  ],
  [
    "rules are about other tools",
    { tools: [ok(), toolOf("rm")], permissions: { rules: [{ tool: "rm", action: "deny" }] } },
    false,
  ],
  ["its permission is a function", { tools: [ok({ permission: () => "allow" })] }, true],
  [
    "a rule about it looks at the arguments",
    { tools: [ok()], permissions: { rules: [{ tool: "ok", action: "deny", when: () => false }] } },
    true,
  ],
  [
    "an allowing rule about it looks at the arguments",
    { tools: [ok()], permissions: { rules: [{ tool: "ok", action: "allow", when: () => true }] } },
    true,
  ],
  ["a hook wants to see it", { tools: [ok()], hooks: [{ name: "h", preActing: () => {} }] }, true],
];

describe("a call is reviewed only if something about it is to be judged", () => {
  test.each(PERMISSIONS)("if %s", async (_, config, isReviewed) => {
    const { reply, services } = await servicesOf(config);
    expect(reply.text).toBe("end");
    expect(services).toEqual(isReviewed ? ["reviewCalls", "runTool"] : ["runTool"]);
  });

  test("a rule that denies or asks reviews the call", async () => {
    for (const action of ["deny", "ask"] as const) {
      const permissions = { rules: [{ tool: "ok", action }] };
      expect((await servicesOf({ tools: [ok()], permissions })).services).toEqual(["reviewCalls"]);
    }
  });

  test("one call of a batch that is to be judged has all of them reviewed", async () => {
    const both = [{ calls: [call("c1"), { id: "c2", name: "nobody" }] }, "end"];
    const { agent, services } = await servicesOf({ tools: [ok()] }, both);
    expect(services).toEqual(["reviewCalls", "runTool"]);
    expect(resultsOf(await agent.messages()).map(outputOf)).toEqual([
      "done",
      expect.stringContaining("nobody"),
    ]);
  });
});

test("the arguments of a call without a review are parsed once", async () => {
  const parsed: number[] = [];
  const double = defineTool({
    name: "double",
    description: "",
    input: z.object({ n: z.number() }).transform(({ n }) => (parsed.push(n), { n: n * 2 })),
    execute: ({ n }) => `${n}`,
  }) as unknown as Tool;
  const script = [{ calls: [{ id: "c1", name: "double", input: { n: 2 } }] }, "end"];
  const { agent } = scripted(script, { tools: [double] });
  await agent.call("go");
  expect([parsed, outputOf(resultsOf(await agent.messages())[0])]).toEqual([[2], "4"]);
});
