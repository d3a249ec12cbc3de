// A rule that is tried on the steps of a run finds what an audit of its journal finds.
import { createAgent, type Agent } from "agentchart";
import { approvedBy, atMost, auditSession, before, inTurn, never, sum, type Rule } from "agentchart/rules";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { expect, test } from "vitest";
import { RuleTrial, type TriedRule } from "../../../src/core/tool/rules/trial.ts";
import { StoreRuns } from "../../../src/inspect/hub/store-runs.ts";
import fc from "../../support/fast-check.ts";
import { noting } from "./desk.ts";

const NAMES = ["verify", "refund", "payout", "read_secret"] as const;

const PAIRS: readonly (readonly [Rule, TriedRule])[] = [
  [
    before("verify", "refund", { per: "id" }),
    { kind: "before", first: ["verify"], then: ["refund"], per: "id", scope: "session" },
  ],
  [
    inTurn(before("read_secret", "payout")),
    { kind: "before", first: ["read_secret"], then: ["payout"], scope: "turn" },
  ],
  [
    atMost(1, "payout", { per: "id" }),
    { kind: "atMost", then: ["payout"], max: 1, per: "id", scope: "session" },
  ],
  [
    sum("refund", ({ cents }) => Number(cents), { max: 3 }),
    { kind: "sum", then: ["refund"], max: 3, amount: "cents", scope: "session" },
  ],
  [never("verify").after("read_*"), { kind: "never", first: ["read_*"], then: ["verify"], scope: "session" }],
  [approvedBy("ana", "payout"), { kind: "approvedBy", then: ["payout"], people: ["ana"], scope: "session" }],
];

const asked = fc.record({
  name: fc.constantFrom(...NAMES),
  id: fc.constantFrom("a", "b"),
  cents: fc.integer({ min: 0, max: 2 }),
  fails: fc.boolean(),
});
const turns = fc.array(
  fc.array(fc.array(asked, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
  { minLength: 1, maxLength: 3 },
);

test("finds the same calls as an audit, whatever was called and decided", async () => {
  const found = { broke: 0, ordered: 0 };
  await fc.assert(
    fc.asyncProperty(
      turns,
      fc.boolean(),
      fc.constantFrom("ana", "ben"),
      async (script, parallelToolCalls, by) => {
        const store = memoryStore();
        const tools = NAMES.map((name) =>
          noting(
            [],
            name,
            ({ fails }) => {
              if (fails === true) throw new Error("refused");
              return "done";
            },
            name === "payout" ? { permission: () => "ask" as const } : {},
          ),
        );
        const answers = script.flatMap((turn): ScriptedTurn[] => [
          ...turn.map((calls): ScriptedTurn => ({
            calls: calls.map(({ name, ...input }) => ({ name, input })),
          })),
          "ok",
        ]);
        const config = { name: "desk", model: scriptedModel(answers), tools, store, sessionId: "s" };
        const agent = createAgent({ ...config, parallelToolCalls } as never) as Agent;
        for (const _ of script) {
          let reply = await agent.call("go");
          while (reply.pending.length > 0) {
            for (const { callId } of reply.pending) await agent.decide(callId, "approve", { by });
            reply = await agent.call();
          }
        }
        await agent.close();
        const log = (await new StoreRuns(store).logOf("s"))!;
        for (const [rule, tried] of PAIRS) {
          const trial = new RuleTrial(tried);
          for (let step = log.first; step <= log.last; step++) trial.add(step, log.contextAt(step)!);
          const audited = await auditSession(store, "s", [rule]);
          const linesOf = (list: readonly { what: string; callId: string }[]) =>
            list.map(({ what, callId }) => `${what} ${callId}`).toSorted();
          expect(linesOf(trial.findings), tried.kind).toEqual(linesOf(audited));
          for (const { what } of trial.findings) if (what !== "unjudged") found[what]++;
        }
      },
    ),
    { numRuns: process.env["SOAK"] === "1" ? 3_000 : 25 },
  );
  expect(found.broke).toBeGreaterThan(10);
});

test("says of a call that it cannot judge that it cannot, and reads nothing of another shape", () => {
  const trial = new RuleTrial({ kind: "sum", then: ["*"], max: 3, amount: "cents", scope: "session" });
  const record = { call: { id: "c", name: "refund", input: { cents: "two" } }, status: "running" };
  trial.add(1, { calls: [record], at: 1 });
  expect(trial.findings).toEqual([{ what: "unjudged", callId: "c", tool: "refund", step: 1 }]);
  for (const value of [null, 1, "x", [], [[]], {}, [{}], [null]])
    for (const key of ["calls", "messages", "progress", "at"])
      trial.add(2, { calls: [{ call: { id: "d", name: "x", input: {} } }], [key]: value } as never);
  expect(trial.findings).toHaveLength(1);
});
