// Sessions that meet a changed agent: policies, approvals and open calls.
import { describe, expect, test } from "vitest";
import {
  createAgent,
  toolResultsOf,
  type AgentConfig,
  type AgentEvent,
  type Json,
  type SessionStore,
  type Tool,
} from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { outputOf, toolOf } from "../support/agents.ts";

const CALL: ScriptedTurn = { calls: [{ id: "c1", name: "pay", input: { usd: 5 } }] };

/** A tool that asks for an approval, in the release that has this description. */
function payTool(description: string, paid: string[] = []): Tool {
  const pay = () => {
    paid.push(description);
    return `Paid as ${description}.`;
  };
  return toolOf("pay", pay, { description, permission: "ask" });
}

function release(store: SessionStore, turns: readonly ScriptedTurn[], config: Partial<AgentConfig> = {}) {
  const model = scriptedModel(turns);
  const agent = createAgent({ name: "desk", sysPrompt: "Pay.", model, store, sessionId: "s", ...config });
  const events: AgentEvent[] = [];
  agent.subscribe((event) => events.push(event));
  const changes = () => events.flatMap((event) => (event.type === "agent.changed" ? [event.change] : []));
  return { agent, model, events, changes };
}

/** A session whose call of `pay` waits for an approval, which was `decided` but not resumed. */
async function waiting(config: Partial<AgentConfig> = {}, isDecided = false): Promise<SessionStore> {
  const store = memoryStore();
  const { agent } = release(store, [CALL], { tools: [payTool("v1")], ...config });
  await agent.call("Pay 5.");
  if (isDecided) await agent.decide("c1", "approve");
  await agent.close();
  return store;
}

const NO_CHANGE = { prompt: false, permissions: false, changed: [], added: [], gone: [] };

describe("a session that is opened in a turn of another release", () => {
  test.each([false, true])(
    "asks again for the approval of a tool whose definition changed (decided: %s)",
    async (isDecided) => {
      const store = await waiting({}, isDecided);
      const paid: string[] = [];
      const next = release(store, ["Done."], { tools: [payTool("v2", paid)] });
      await next.agent.open();
      expect(next.changes()).toEqual([{ ...NO_CHANGE, changed: ["pay"] }]);
      const [call, ...more] = next.agent.status().pending;
      expect(more).toEqual([]);
      expect(call).toMatchObject({
        callId: "c1",
        waitsFor: "approval",
        reason: "Tool 'pay' has changed since its approval was asked for.",
      });
      expect(call).not.toHaveProperty("decided");
      expect(next.events.map(({ type }) => type)).toContain("pending");
      await expect(next.agent.call()).rejects.toMatchObject({ code: "run/undecided" });
      expect(paid).toEqual([]);
      await next.agent.decide("c1", "approve", { argsHash: call!.argsHash });
      expect((await next.agent.call()).text).toBe("Done.");
      expect(paid).toEqual(["v2"]);
    },
  );

  test("answers the call of a tool that is gone with an error that the model reads", async () => {
    const next = release(await waiting(), ["I cannot pay."], { tools: [toolOf("other", () => "ok")] });
    await next.agent.open();
    expect(next.changes()).toEqual([{ ...NO_CHANGE, added: ["other"], gone: ["pay"] }]);
    expect(next.agent.status()).toMatchObject({ phase: "suspended", pending: [] });
    expect((await next.agent.call()).text).toBe("I cannot pay.");
    const results = (await next.agent.messages()).flatMap(toolResultsOf);
    expect(results).toMatchObject([{ id: "c1", state: "error", code: "tool/unknown" }]);
    expect(outputOf(results[0])).toContain("pay");
    expect(JSON.stringify(next.model.requests[0])).toContain("Tool not found: pay");
  });

  test("is adopted once: the next process of the release finds it as its own", async () => {
    const store = await waiting();
    const first = release(store, [], { tools: [payTool("v2")] });
    await first.agent.open();
    await first.agent.decide("c1", "approve");
    await first.agent.close();
    const paid: string[] = [];
    const second = release(store, ["Done."], { tools: [payTool("v2", paid)] });
    expect((await second.agent.call()).text).toBe("Done.");
    expect([second.changes(), paid]).toEqual([[], ["v2"]]);
  });

  test("says so to those who read the journal later", async () => {
    const store = await waiting();
    const next = release(store, ["Done."], { tools: [payTool("v2")] });
    await next.agent.open();
    await next.agent.decide("c1", "deny");
    await next.agent.call();
    const seen: AgentEvent[] = [];
    next.agent.subscribe((event) => seen.push(event), { after: 0 });
    await expect.poll(() => seen.filter(({ type }) => type === "turn.end")).toHaveLength(2);
    const at = seen.findIndex(({ type }) => type === "agent.changed");
    expect(seen.slice(at, at + 2)).toMatchObject([
      { type: "agent.changed", change: { changed: ["pay"] } },
      { type: "pending", calls: [{ callId: "c1" }] },
    ]);
  });

  test("goes on as before if nothing differs, or only what it does not consist of", async () => {
    const store = await waiting({}, true);
    const paid: string[] = [];
    const config = { tools: [payTool("v1", paid)], maxIters: 3 };
    const next = release(store, ["Done."], config);
    expect((await next.agent.call()).text).toBe("Done.");
    expect([next.changes(), paid]).toEqual([[], ["v1"]]);
  });

  test("says that the prompt or the permissions changed", async () => {
    const tools = [payTool("v1")];
    const prompted = release(await waiting(), [], { tools, sysPrompt: "Pay well." });
    await prompted.agent.open();
    expect(prompted.changes()).toEqual([{ ...NO_CHANGE, prompt: true }]);
    const permissions = { rules: [{ tool: "pay", action: "deny" as const }] };
    const denied = release(await waiting({}, true), ["Denied."], { tools, permissions });
    expect((await denied.agent.call()).text).toBe("Denied.");
    expect(denied.changes()).toEqual([{ ...NO_CHANGE, permissions: true }]);
    expect((await denied.agent.messages()).flatMap(toolResultsOf)).toMatchObject([{ state: "denied" }]);
  });

  test("is adopted in silence if its release recorded no fingerprint", async () => {
    const redact = (value: Json): Json =>
      JSON.parse(JSON.stringify(value, (key, each: unknown) => (key === "agent" ? undefined : each))) as Json;
    const paid: string[] = [];
    const next = release(await waiting({ sessionOptions: { redact } }, true), ["Done."], {
      tools: [payTool("v2", paid)],
    });
    expect((await next.agent.call()).text).toBe("Done.");
    expect([next.changes(), paid]).toEqual([[], ["v2"]]);
  });

  test("is adopted from a snapshot too", async () => {
    const first = createAgent({ name: "desk", model: scriptedModel([CALL]), tools: [payTool("v1")] });
    await first.call("Pay 5.");
    await first.decide("c1", "approve");
    const config = { name: "desk", model: scriptedModel(["Done."]), tools: [payTool("v2")] };
    const snapshot = first.snapshot();
    const next = createAgent({ ...config, sessionOptions: { snapshot } });
    expect(next.status().pending).toMatchObject([{ reason: expect.stringContaining("has changed") }]);
    expect(() => createAgent({ ...config, sessionOptions: { snapshot, onChangedAgent: "pin" } })).toThrow(
      expect.objectContaining({ code: "session/agent-changed" }),
    );
  });
});

describe("a session between turns", () => {
  test("takes the next release without a word, whatever its policy", async () => {
    const store = memoryStore();
    const first = release(store, ["Hi."], { tools: [payTool("v1")] });
    await first.agent.call("Hello");
    await first.agent.close();
    for (const onChangedAgent of ["adopt", "pin", "hold"] as const) {
      const next = release(store, ["Hi again."], {
        tools: [payTool(onChangedAgent)],
        sessionOptions: { onChangedAgent },
      });
      expect((await next.agent.call("Hello")).text).toBe("Hi again.");
      expect(next.changes()).toEqual([]);
      await next.agent.close();
    }
  });
});

describe("an approval that is remembered", () => {
  test.each([
    ["the same tool", "v1", "MODEL_STOP"],
    ["a tool that has changed", "v2", "APPROVAL_REQUIRED"],
  ])("leads for %s (%s) to %s", async (_, description, reason) => {
    const store = await waiting();
    const first = release(store, ["Done."], { tools: [payTool("v1")] });
    await first.agent.decide("c1", { approve: true, remember: "tool" });
    await first.agent.call();
    await first.agent.close();
    const again = { calls: [{ id: "c2", name: "pay", input: { usd: 6 } }] };
    const next = release(store, [again, "Done."], { tools: [payTool(description)] });
    expect((await next.agent.call("Pay 6.")).reason).toBe(reason);
    await next.agent.close();
  });
});

describe.each(["pin", "hold"] as const)("the policy `%s`", (onChangedAgent) => {
  test("leaves a turn of another release alone, and gives the lease back", async () => {
    const store = await waiting({}, true);
    const { seq } = (await store.load("s"))!;
    const next = release(store, [], { tools: [payTool("v2")], sessionOptions: { onChangedAgent } });
    await expect(next.agent.open()).rejects.toMatchObject({
      code: "session/agent-changed",
      message: expect.stringContaining("Changed: tool 'pay'."),
      data: { sessionId: "s", policy: onChangedAgent, change: { changed: ["pay"] } },
    });
    expect(await store.holder?.("s")).toBeUndefined();
    expect((await store.load("s"))!.seq).toBe(seq);
    const paid: string[] = [];
    const old = release(store, ["Done."], {
      tools: [payTool("v1", paid)],
      sessionOptions: { onChangedAgent },
    });
    expect((await old.agent.call()).text).toBe("Done.");
    expect(paid).toEqual(["v1"]);
    await old.agent.close();
    await next.agent.open(); // it is between turns now
    await next.agent.close();
  });
});
