// The memory of rules: stored with results, restored, and met by other rules.
import { createAgent, type Agent, type Tool } from "agentchart";
import { openSession } from "agentchart/session";
import { memoryStore } from "agentchart/store/memory";
import { agentTool } from "agentchart/team";
import { scriptedModel } from "agentchart/testing";
import { atMost, before, never, withRules, type Rule } from "agentchart/rules";
import { describe, expect, test } from "vitest";
import { withDeadlines } from "../../../src/store/deadlines.ts";
import { retryingStore } from "../../../src/store/retrying.ts";
import { readEntries } from "../../../src/session/read-entry.ts";
import { asks, desk, noting, told, type Ledger } from "./desk.ts";

const verified = before("verify", "refund", { per: "id" });
const once = atMost(1, "refund", { per: "id" });

/** A session in a store, opened anew for each turn. */
function stored(rules: readonly Rule[], ledger: Ledger = [], store = memoryStore()) {
  const turn = async (script: Parameters<typeof desk>[0], more: object = {}): Promise<readonly string[]> => {
    const { agent } = desk(script, { rules, store, sessionId: "s1", ...more }, ledger);
    await agent.call("go");
    const lines = await told(agent);
    await agent.close();
    return lines;
  };
  return { turn, store, ledger };
}

describe("what rules remember", () => {
  test("is stored with the result, and there after the session was opened elsewhere", async () => {
    const { turn, store, ledger } = stored([verified, once]);
    await turn([asks(["verify", { id: "a" }]), "ok"]);
    await turn([asks(["refund", { id: "a" }]), "ok"]);
    await turn([asks(["refund", { id: "a" }], ["refund", { id: "b" }]), "ok"]);
    expect(ledger).toEqual(["verify a", "refund a"]);
    const session = await openSession(store, "s1");
    let isOpen = false;
    const remembered: boolean[] = [];
    for await (const { seq, type, data } of readEntries(store, "s1")) {
      isOpen ||= type !== "position" && JSON.stringify(data).includes('"state":"success"');
      if (!isOpen || type !== "position") continue;
      isOpen = false;
      const { context } = await session.at(seq);
      remembered.push(JSON.stringify(context).includes('"seen":{"a":'));
    }
    expect(remembered).toEqual([true, true]); // in the append that stores the result
  });

  test("goes with a fork from where it began, and no approval does", async () => {
    const { turn, store, ledger } = stored([verified, once]);
    await turn([asks(["verify", { id: "a" }]), "ok"]);
    const session = await openSession(store, "s1");
    const { seq } = await session.at();
    await turn([asks(["refund", { id: "a" }]), "ok"]);
    const { sessionId } = await session.fork(seq);
    const forked = desk(
      [asks(["refund", { id: "a" }], ["refund", { id: "a" }]), "ok"],
      { rules: [verified, once], store, sessionId },
      ledger,
    );
    await forked.agent.call("again");
    expect(ledger).toEqual(["verify a", "refund a", "refund a"]);
    await forked.agent.close();
  });

  test("survives a snapshot", async () => {
    const first = desk([asks(["verify", { id: "a" }]), "ok"], { rules: [verified] });
    await first.agent.call("go");
    const snapshot = JSON.parse(JSON.stringify(first.agent.snapshot())) as never;
    await first.agent.close();
    const second = desk([asks(["refund", { id: "a" }], ["refund", { id: "b" }]), "ok"], {
      rules: [verified],
      sessionOptions: { snapshot },
    });
    await second.agent.call("go");
    expect(second.ledger).toEqual(["refund a"]);
    await second.agent.close();
  });

  test.each([
    [true, "success"],
    [false, "denied"],
  ] as const)(
    "holds what a person says of a call that was cut off where answers count (%s)",
    async (answers, refund) => {
      const rules = [before("verify", "refund", { answers })];
      const ledger: Ledger = [];
      const hanging = noting(ledger, "verify", () => new Promise(() => {}), { onRestart: "ask" });
      const config = { rules, tools: [hanging, noting(ledger, "refund")] };
      const first = desk([asks("verify")], config).agent;
      void first.call("go").catch(() => {});
      await expect.poll(() => ledger).toEqual(["verify"]);
      const { agent } = desk([asks("refund"), "ok"], {
        ...config,
        sessionOptions: { snapshot: first.snapshot() },
      });
      const [pending] = (await agent.call()).pending;
      await agent.decide(pending!.callId, { answer: "It was verified." });
      await agent.call();
      expect((await told(agent)).at(-1)).toMatch(new RegExp(`^refund: ${refund}`, "u"));
    },
  );

  test("of a rule that is new or another one is read from the messages", async () => {
    const { turn, store, ledger } = stored([]);
    await turn([asks(["verify", { id: "a" }]), asks(["refund", { id: "a" }]), "ok"]);
    const later = stored([before("verify", "refund", { per: "id", name: "v" }), once], ledger, store);
    await later.turn([
      asks(["refund", { id: "a" }], ["verify", { id: "b" }]),
      asks(["refund", { id: "b" }]),
      "ok",
    ]);
    expect(ledger).toEqual(["verify a", "refund a", "verify b", "refund b"]);
    const changed = stored([before("verify", "payout", { per: "id", name: "v" })], ledger, store);
    await changed.turn([asks(["payout", { id: "b" }], ["payout", { id: "c" }]), "ok"]);
    expect(ledger.slice(4)).toEqual(["payout b"]);
  });

  test("is not believed of messages in which values were redacted", async () => {
    const redact = (value: unknown): never =>
      JSON.parse(JSON.stringify(value).replaceAll('"id":"a"', '"id":"x"')) as never;
    const { turn, store, ledger } = stored([]);
    await turn([asks(["refund", { id: "a" }]), "ok"], { sessionOptions: { redact } });
    const later = stored([once], ledger, store);
    await later.turn([asks(["refund", { id: "a" }]), "ok"], { sessionOptions: { redact } });
    expect(ledger).toEqual(["refund a"]);
  });
});

describe("rules of others", () => {
  test("those of a store hold for every agent of it", async () => {
    const store = withRules(memoryStore(), [
      never("send_mail").after("read_secret"),
      before("no_such_tool", "nothing"),
    ]);
    const retried = retryingStore(withDeadlines(store, { maxMs: 1_000 }), { timeoutMs: 10 }); // as a worker has it
    const { turn, ledger } = stored([], [], new Proxy({ ...retried }, {}));
    await turn([asks("read_secret"), asks("send_mail"), "ok"]);
    expect(ledger).toEqual(["read_secret"]);
  });

  const outer = (
    script: Parameters<typeof desk>[0],
    inner: readonly Parameters<typeof desk>[0][number][],
    rules: readonly Rule[],
  ) => {
    const ledger: Ledger = [];
    const tools = ["verify", "refund"].map((name) => noting(ledger, name));
    const clerk = agentTool({
      agent: { name: "clerk", model: scriptedModel(inner), tools },
      name: "ask_clerk",
    });
    const agent = createAgent({
      name: "desk",
      model: scriptedModel(script),
      tools: [...tools, clerk as Tool],
      rules,
      parallelToolCalls: true,
    }) as Agent;
    return { agent, ledger };
  };
  const clerk = ["ask_clerk", { message: "do it" }] as const;

  test("those of an agent hold inside of its calls, with what it knows, and it learns what was done there", async () => {
    for (const [script, inner, ran] of [
      [[asks(clerk), "ok"], [asks("refund"), "no"], []],
      [
        [asks("verify"), asks(clerk), "ok"],
        [asks("refund"), "done"],
        ["verify", "refund"],
      ],
      [
        [asks(clerk), asks("refund"), "ok"],
        [asks("verify"), "done"],
        ["verify", "refund"],
      ],
    ] as const) {
      const { agent, ledger } = outer(script, inner, [before("verify", "refund")]);
      await agent.call("go");
      expect(ledger).toEqual(ran);
      await agent.close();
    }
  });

  test("two agents at once, and the agent beside them, share one limit", async () => {
    const { agent, ledger } = outer(
      [asks(clerk, "refund", clerk), "ok"],
      [asks("refund"), "done", asks("refund"), "done"],
      [atMost(1, "refund")],
    );
    await agent.call("go");
    expect(ledger).toEqual(["refund"]);
    await agent.close();
  });
});

describe("rules that cannot be", () => {
  const make = (rules: readonly Rule[]) => () => desk([], { rules });

  test.each([
    [
      "names a tool that is not there",
      [before("verfy", "refund")],
      "names the tool 'verfy', which the agent does not have; did you mean 'verify'?",
    ],
    [
      "is there twice",
      [before("verify", "refund"), before("verify", "refund", { per: "id" })],
      "Two rules are named 'refund after verify'",
    ],
    ["waits for itself", [before("verify", "verify")], "demands a success of 'verify' before 'verify' runs"],
    [
      "waits for one that waits for it",
      [before("verify", "refund"), before("refund", "verify")],
      "The rules 'refund after verify' and 'verify after refund' contradict each other",
    ],
    [
      "demands what another one forbids",
      [before("verify", "refund"), never("refund").after("verify")],
      "The rules 'refund after verify' and 'no refund after verify' contradict each other",
    ],
    [
      "demands what never runs",
      [before("verify", "refund"), atMost(0, "verify")],
      "The rules 'refund after verify' and 'at most 0 verify' contradict each other",
    ],
  ] as const)("are refused: one %s", (_, rules, message) => {
    expect(make(rules)).toThrow(message);
  });

  test.each([
    ["a window that is not a time", () => before("a", "b", { within: "soon" }), "`within`"],
    ["no tool", () => before([], "b"), "expected what comes first"],
    ["a misspelt option", () => atMost(1, "a", { pre: "x" } as never), "did you mean `per`?"],
    ["half a call", () => atMost(0.5, "a"), "The number of calls"],
  ])("are refused: %s", (_, make_, message) => {
    expect(make_).toThrow(message);
  });
});
