// An audit of stored sessions finds what enforcement denies.
import fc from "../../support/fast-check.ts";
import { createAgent, type Agent } from "agentchart";
import { toolResultsOf } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { atMost, auditSession, before, inTurn, never, shadow, sum, type Rule } from "agentchart/rules";
import { describe, expect, test } from "vitest";
import { noting } from "./desk.ts";

const isSoak = process.env["SOAK"] === "1";
const NAMES = ["verify", "refund", "payout", "read_secret"] as const;

/** Rules that are enforced, or only note. */
const RULES: readonly Rule[] = [
  before("verify", "refund", { per: "id" }),
  inTurn(before("read_secret", "payout", { name: "read in turn" })),
  atMost(1, "payout", { per: "id" }),
  sum("refund", ({ cents }) => Number(cents), { max: 3 }),
  never("verify").after("read_secret"),
];

type Asked = {
  readonly name: (typeof NAMES)[number];
  readonly id: string;
  readonly cents: number;
  readonly fails: boolean;
};
const asked = fc.record({
  name: fc.constantFrom(...NAMES),
  id: fc.constantFrom("a", "b"),
  cents: fc.integer({ min: 0, max: 2 }),
  fails: fc.boolean(),
});
const turns = fc.array(
  fc.array(fc.array(asked, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
  {
    minLength: 1,
    maxLength: 3,
  },
);

async function play(
  rules: readonly Rule[],
  script: readonly (readonly (readonly Asked[])[])[],
  parallel: boolean,
) {
  const store = memoryStore();
  const ledger: string[] = [];
  const tools = NAMES.map((name) =>
    noting(ledger, name, ({ fails }) => {
      if (fails === true) throw new Error("refused");
      return "done";
    }),
  );
  const answers = script.flatMap((turn): ScriptedTurn[] => [
    ...turn.map((calls): ScriptedTurn => ({ calls: calls.map(({ name, ...input }) => ({ name, input })) })),
    "ok",
  ]);
  const agent = createAgent({
    name: "desk",
    model: scriptedModel(answers),
    tools,
    rules,
    store,
    sessionId: "s",
    parallelToolCalls: parallel,
  }) as Agent;
  for (const _ of script) await agent.call("go");
  const results = (await agent.messages()).flatMap(toolResultsOf);
  await agent.close();
  const noted = results.flatMap(({ id, account }) =>
    (account?.rules ?? []).flatMap(({ rule, did }) => (did === "shadow" ? [`${id} ${rule}`] : [])),
  );
  return { store, noted };
}

describe("an audit of stored sessions", () => {
  test(
    "finds what the same rules note in shadow mode, and nothing where they were enforced",
    { timeout: isSoak ? 7_200_000 : 600_000 },
    async () => {
      let found = 0;
      await fc.assert(
        fc.asyncProperty(turns, fc.boolean(), async (script, parallel) => {
          const loose = await play(RULES.map(shadow), script, parallel);
          const findings = await auditSession(loose.store, "s", RULES);
          const broke = findings
            .filter(({ what }) => what === "broke")
            .map(({ callId, rule }) => `${callId} ${rule}`);
          expect(broke.toSorted()).toEqual(loose.noted.toSorted());
          found += broke.length;
          const strict = await play(RULES, script, parallel);
          expect(await auditSession(strict.store, "s", RULES)).toEqual([]);
        }),
        { numRuns: isSoak ? 10_000 : 25 },
      );
      expect(found).toBeGreaterThan(10);
    },
  );

  test("says which sessions a new rule would have stopped, with the step", async () => {
    const { store } = await play([], [[[{ name: "refund", id: "a", cents: 1, fails: false }]]], false);
    expect(await auditSession(store, "s", [RULES[0]!])).toEqual([
      {
        what: "broke",
        rule: "refund after verify",
        says: "`refund` runs only after `verify` has succeeded per id, in a session.",
        callId: "call_1",
        tool: "refund",
        seq: expect.any(Number),
        at: expect.any(Number),
      },
    ]);
  });
});
