// Rules in a running agent: what they deny, put in order, ask about, and end.
import { createAgent, defineTool, defineHook, suspend } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import {
  anyOf,
  approvedBy,
  atMost,
  before,
  inTurn,
  never,
  onlyIf,
  shadow,
  sum,
  within,
} from "agentchart/rules";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { asks, desk, noting, told, type Ledger } from "./desk.ts";

const verified = before("verify", "refund");
const breaks = (rule: string): unknown =>
  expect.stringContaining(`refund: denied: The call breaks the rule '${rule}': `);

test("a call begins before those that start behind it, however slowly its arguments are parsed", async () => {
  const ledger: Ledger = [];
  const slow = z.object({}).refine(() => new Promise((resolve) => setTimeout(resolve, 20, true)));
  const { agent } = desk([asks("send_mail", "read_secret"), "ok"], {
    rules: [never("send_mail").after("read_secret")],
    tools: [noting(ledger, "send_mail", undefined, { input: slow }), noting(ledger, "read_secret")],
    parallelToolCalls: true,
  });
  await agent.call("go");
  // a process that was cut off does not send again by itself
  expect(ledger.lastIndexOf("send_mail")).toBeLessThan(ledger.indexOf("read_secret"));
  await agent.close();
});

describe("a rule that demands another call before", () => {
  test("denies the call, names the rule, and lets it run once the other one has succeeded", async () => {
    const { agent, ledger } = desk([asks("refund"), asks("verify"), asks("refund"), "ok"], {
      rules: [verified],
    });
    await agent.call("go");
    expect(ledger).toEqual(["verify", "refund"]);
    expect(await told(agent)).toEqual([
      "refund: denied: The call breaks the rule 'refund after verify': `refund` runs only after `verify` has succeeded, in a session.",
      "verify: success",
      "refund: success",
    ]);
    await agent.close();
  });

  test.each([
    ["in sequence", false],
    ["in parallel", true],
    ["two at once", 2],
  ] as const)(
    "puts a batch of both in order that runs %s, 100 of 100 times",
    async (_, parallelToolCalls) => {
      for (let run = 0; run < 100; run++) {
        const { agent, ledger } = desk([asks("refund", "verify"), "ok"], {
          rules: [verified],
          parallelToolCalls,
        });
        await agent.call("go");
        expect(ledger).toEqual(["verify", "refund"]);
        const [, , result] = await agent.messages();
        expect(result!.content[0]).toMatchObject({
          name: "refund",
          state: "success",
          account: { rules: [{ rule: "refund after verify", did: "ordered" }] },
        });
        await agent.close();
      }
    },
  );

  test("denies a call of a batch whose other call has failed", async () => {
    const ledger: Ledger = [];
    const fails = noting(ledger, "verify", () => {
      throw new Error("no such customer");
    });
    const { agent } = desk([asks("refund", "verify"), "ok"], {
      rules: [verified],
      tools: [fails, noting(ledger, "refund")],
      parallelToolCalls: true,
    });
    await agent.call("go");
    expect(ledger).toEqual(["verify"]);
    expect(await told(agent)).toEqual([
      breaks("refund after verify"),
      expect.stringContaining("verify: error"),
    ]);
    await agent.close();
  });

  test("is about the same matter with `per`, and about those that count with `if`", async () => {
    const rules = [before("verify", "refund", { per: "id", if: ({ strong }) => strong === true })];
    const { agent, ledger } = desk(
      [
        asks(["verify", { id: "a", strong: true }], ["verify", { id: "b", strong: false }]),
        asks(["refund", { id: "a" }], ["refund", { id: "b" }], ["refund", { id: "c" }]),
        "ok",
      ],
      { rules },
    );
    await agent.call("go");
    expect(ledger).toEqual(["verify a", "verify b", "refund a"]);
    await agent.close();
  });

  test("is not kept by an answer that somebody gives, by a hook or by a denial, unless it says so", async () => {
    const rewrites = defineHook({
      name: "rewrites",
      postActing: ({ result }) => ({
        result: {
          ...result,
          state: "success" as const,
          output: [{ type: "text" as const, text: "verified!" }],
        },
      }),
    });
    const ledger: Ledger = [];
    const fails = noting(ledger, "verify", () => {
      throw new Error("no");
    });
    const { agent } = desk([asks("verify"), asks("refund"), "ok"], {
      rules: [verified],
      tools: [fails, noting(ledger, "refund")],
      hooks: [rewrites],
    });
    await agent.call("go");
    expect(ledger).toEqual(["verify"]);
    await agent.close();

    for (const answers of [false, true]) {
      const done: Ledger = [];
      const external = defineTool({ name: "verify", description: "v", input: { type: "object" } });
      const asked = desk([asks("verify"), asks("refund"), "ok"], {
        rules: [before("verify", "refund", { answers })],
        tools: [external, noting(done, "refund")],
      }).agent;
      const reply = await asked.call("go");
      expect(reply.reason).toBe("TOOL_SUSPENDED");
      const [pending] = asked.status().pending;
      await asked.call({
        id: "answer",
        role: "tool",
        name: "tool",
        metadata: {},
        timestamp: 0,
        content: [
          {
            type: "tool_result",
            id: pending!.callId,
            name: "verify",
            output: [{ type: "text", text: "ok" }],
            state: "success",
          },
        ],
      });
      expect(done).toEqual(answers ? ["refund"] : []);
      await asked.close();
    }
  });

  test("keeps a success of an earlier turn, and within a turn does not", async () => {
    for (const [rule, ran] of [
      [verified, ["verify", "refund"]],
      [inTurn(verified), ["verify"]],
    ] as const) {
      const { agent, ledger } = desk([asks("verify"), "ok", asks("refund"), "ok"], { rules: [rule] });
      await agent.call("one");
      await agent.call("two");
      expect(ledger).toEqual(ran);
      await agent.close();
    }
  });
});

describe("a rule that forbids", () => {
  test("denies what comes after, also of calls that run at once", async () => {
    const rules = [never("send_mail").after("read_secret")];
    const { agent, ledger } = desk([asks("read_secret", "send_mail"), asks("send_mail"), "ok"], {
      rules,
      parallelToolCalls: true,
    });
    await agent.call("go");
    expect(ledger).toEqual(["read_secret"]);
    await agent.close();
  });

  test("lets it run before, and once the other one has failed", async () => {
    const rules = [never("send_mail").after("read_secret")];
    const ledger: Ledger = [];
    let runs = 0;
    const secret = noting(ledger, "read_secret", () => {
      if (runs++ === 0) throw new Error("closed");
      return "secret";
    });
    const { agent } = desk(
      [asks("read_secret", "send_mail"), asks("send_mail", "read_secret"), asks("send_mail"), "ok"],
      {
        rules,
        tools: [secret, noting(ledger, "send_mail")],
        parallelToolCalls: true,
      },
    );
    await agent.call("go");
    expect(ledger).toEqual(["read_secret", "send_mail", "send_mail", "read_secret"]);
    await agent.close();
  });
});

describe("a rule that limits", () => {
  test("lets one call of each order succeed, whatever the batch and the parallelism are", async () => {
    for (const parallelToolCalls of [false, true]) {
      const { agent, ledger } = desk(
        [
          asks(["payout", { id: "a" }], ["payout", { id: "a" }], ["payout", { id: "b" }]),
          asks(["payout", { id: "b" }]),
          "ok",
        ],
        { rules: [atMost(1, "payout", { per: "id" })], parallelToolCalls },
      );
      await agent.call("go");
      expect(ledger.toSorted()).toEqual(["payout a", "payout b"]);
      await agent.close();
    }
  });

  test("lets another call try after one that has failed, and none after one that may have taken effect", async () => {
    for (const [message, ran] of [
      ["refused by the bank", ["payout", "payout"]],
      ["it may have taken effect", ["payout"]],
    ] as const) {
      const ledger: Ledger = [];
      let runs = 0;
      const payout = noting(ledger, "payout", () => {
        if (runs++ === 0) throw new Error(message);
        return "paid";
      });
      const { agent } = desk([asks("payout", "payout"), "ok"], {
        rules: [atMost(1, "payout")],
        tools: [payout],
      });
      await agent.call("go");
      expect(ledger).toEqual(ran);
      await agent.close();
    }
  });

  test("sums amounts up, within a window of time", async () => {
    let now = 1_000_000;
    const pay = (cents: number) => asks(["payout", { cents }]);
    const rules = [
      within(
        "1h",
        sum("payout", ({ cents }) => cents as number, { max: 100 }),
      ),
    ];
    const { agent, ledger } = desk([pay(60), pay(60), pay(40), "ok", pay(60), pay(-5), "ok"], {
      rules,
      sessionOptions: { now: () => now },
    });
    await agent.call("go");
    expect(ledger).toHaveLength(2);
    now += 3_600_001;
    await agent.call("later");
    expect(ledger).toHaveLength(3);
    expect((await told(agent)).at(-1)).toContain("It could not be judged: the amount is -5");
    await agent.close();
  });
});

describe("rules about people, arguments and combinations", () => {
  test("ask for the approval of a lead, and ask again after that of somebody else", async () => {
    const rules = [approvedBy("lead", "payout", ({ cents }) => (cents as number) > 100)];
    const { agent, ledger } = desk([asks(["payout", { cents: 50 }], ["payout", { cents: 500 }]), "ok"], {
      rules,
    });
    expect((await agent.call("go")).reason).toBe("APPROVAL_REQUIRED");
    const approve = async (by: string): Promise<string> => {
      const [pending] = agent.status().pending;
      expect(pending!.reason).toContain("needs the approval of lead");
      await agent.decide(pending!.callId, "approve", { by });
      return (await agent.call()).reason;
    };
    expect(ledger).toEqual([]);
    expect(await approve("clerk")).toBe("APPROVAL_REQUIRED");
    expect(ledger).toEqual([]);
    expect(await approve("lead")).toBe("MODEL_STOP");
    expect(ledger).toEqual(["payout", "payout"]);
    await agent.close();
  });

  test("keep the sentence that a rule was given, and say no window that does not hold", () => {
    const own = before("verify", "refund", { says: "Verify first." });
    for (const made of [within("1h", own), inTurn(own), shadow(own)])
      expect(made.data.says).toBe("Verify first.");
    expect(anyOf([own, atMost(1, "refund")]).data.says).toBe(
      "Verify first, or `refund` succeeds at most once, in a session.",
    );
    expect(inTurn(verified).data.says).toBe("`refund` runs only after `verify` has succeeded, in one turn.");
    expect(() => within("1h", atMost(1, "refund", { within: "24h" }))).toThrow(/has a window already/u);
    for (const make of [shadow, inTurn, (rule: never) => within("1h", rule)])
      expect(() => make(undefined as never)).toThrow(/expected a rule/u);
  });

  test("ask a person, who waives the rule for this call, or end the turn", async () => {
    const asking = desk([asks("refund"), asks("refund"), "ok"], {
      rules: [before("verify", "refund", { onBreak: "ask" })],
    });
    expect((await asking.agent.call("go")).reason).toBe("APPROVAL_REQUIRED");
    await asking.agent.decide(asking.agent.status().pending[0]!.callId, "approve");
    expect((await asking.agent.call()).reason).toBe("APPROVAL_REQUIRED");
    expect(asking.ledger).toEqual(["refund"]);
    await asking.agent.decide(asking.agent.status().pending[0]!.callId, "deny");
    await asking.agent.call();
    expect(asking.ledger).toEqual(["refund"]);
    await asking.agent.close();

    const ending = desk([asks("payout", "refund", "payout"), "never said"], {
      rules: [before("verify", "refund", { onBreak: "end" })],
    });
    expect((await ending.agent.call("go")).reason).toBe("ACTING_STOP_REQUESTED");
    expect(ending.ledger).toEqual([]);
    await ending.agent.close();
  });

  test("ask in the midst of a batch, whose results stay in order", async () => {
    const ledger: Ledger = [];
    const fails = noting(ledger, "verify", () => {
      throw new Error("no such customer");
    });
    const { agent } = desk([asks("refund", "verify", "payout"), "ok"], {
      rules: [before("verify", "refund", { onBreak: "ask" })],
      tools: [fails, noting(ledger, "refund"), noting(ledger, "payout")],
    });
    expect((await agent.call("go")).reason).toBe("APPROVAL_REQUIRED");
    expect(ledger).not.toContain("refund");
    await agent.decide(agent.status().pending[0]!.callId, "approve");
    expect((await agent.call()).reason).toBe("MODEL_STOP");
    expect(ledger.toSorted()).toEqual(["payout", "refund", "verify"]);
    const names = (await told(agent)).map((line) => line.split(":")[0]);
    expect(names).toEqual(["refund", "verify", "payout"]);
    await agent.close();
  });

  test("are not kept by an approval that was given before the rule was known", async () => {
    const { agent, ledger } = desk([asks("refund"), "ok"], {
      rules: [before("verify", "refund")],
      permissions: { rules: [{ tool: "refund", action: "ask" }] },
    });
    await agent.call("go");
    await agent.decide(agent.status().pending[0]!.callId, "approve");
    expect((await agent.call()).reason).toBe("MODEL_STOP");
    expect(ledger).toEqual([]);
    expect(await told(agent)).toEqual([breaks("refund after verify")]);
    await agent.close();
  });

  test("judge arguments together with what has succeeded", async () => {
    const rules = [
      onlyIf("refund", ({ cents }, succeeded) => (cents as number) < 10 || succeeded.has("verify"), {
        knows: ["verify"],
      }),
    ];
    const { agent, ledger } = desk(
      [asks(["refund", { id: 1, cents: 5 }], ["refund", { id: 2, cents: 50 }], "verify"), "ok"],
      { rules, parallelToolCalls: true },
    );
    await agent.call("go");
    expect(ledger).toEqual(["refund 1", "verify", "refund 2"]);
    await agent.close();
  });

  test("hold if one of several does", async () => {
    const rules = [anyOf([before("verify", "refund"), atMost(1, "refund")])];
    const { agent, ledger } = desk([asks("refund"), asks("refund"), asks("verify"), asks("refund"), "ok"], {
      rules,
    });
    await agent.call("go");
    expect(ledger).toEqual(["refund", "verify", "refund"]);
    await agent.close();
  });

  test("only note what they would have done, in shadow mode", async () => {
    const { agent, ledger } = desk([asks("refund"), "ok"], { rules: [shadow(verified)] });
    await agent.call("go");
    expect(ledger).toEqual(["refund"]);
    const [, , result] = await agent.messages();
    expect(result!.content[0]).toMatchObject({
      account: { rules: [{ rule: "refund after verify", did: "shadow" }] },
    });
    await agent.close();
  });

  test.each([
    ["throws", () => JSON.parse("no")],
    ["is not deterministic", () => counter++ % 2 === 0],
    ["gives no truth", () => "yes" as never],
    ["gives a promise", (async () => true) as never],
  ])("deny a call whose predicate %s", async (_, when: () => boolean) => {
    const { agent, ledger } = desk([asks("payout"), "ok"], { rules: [atMost(5, "payout", { when })] });
    await agent.call("go");
    expect(ledger).toEqual([]);
    expect(await told(agent)).toEqual([expect.stringContaining("It could not be judged: ")]);
    await agent.close();
  });
});

let counter = 0;

test("a retry of a call counts in the place of the attempt before", async () => {
  const ledger: Ledger = [];
  let runs = 0;
  const payout = noting(
    ledger,
    "payout",
    () => {
      if (runs++ === 0) throw new Error("may have taken effect");
      return "paid";
    },
    { execution: { maxAttempts: 2, initialBackoffMs: 1 } } as never,
  );
  const { agent } = desk([asks("payout"), asks("payout"), "ok"], {
    rules: [atMost(1, "payout")],
    tools: [payout],
  });
  await agent.call("go");
  expect(ledger).toEqual(["payout", "payout"]);
  expect((await told(agent)).map((each) => each.split(":", 2).join(":"))).toEqual([
    "payout: success",
    "payout: denied",
  ]);
  await agent.close();
});

test("a call that waits for an answer is not waited for, and counts where a success forbids", async () => {
  const ledger: Ledger = [];
  const verify = noting(ledger, "verify", () => suspend("later"));
  const { agent } = desk([asks("refund", "verify"), "ok"], {
    rules: [before("verify", "refund")],
    tools: [verify, noting(ledger, "refund")],
  });
  expect((await agent.call("go")).reason).toBe("TOOL_SUSPENDED");
  expect(ledger).toEqual(["verify"]);
  await agent.close();
});

test("agents without rules know nothing of them", async () => {
  const agent = createAgent({ name: "a", model: scriptedModel(["ok"]) });
  await agent.call("hi");
  expect(JSON.stringify(agent.snapshot())).not.toContain("rules");
  await agent.close();
});
