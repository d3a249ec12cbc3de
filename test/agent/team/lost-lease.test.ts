// An actor that waits for a person notices only at the next command that its session has lost the lease: it opens the session again, a
// bounded number of times, and the command is not lost. A parent that answers each snapshot comes to an end.
import { expect, test } from "vitest";
import { createActor } from "xstate";
import { AgentError, type SessionStore } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { agentLogic, codeModel } from "agentchart/team";
import { toolOf } from "../../support/agents.ts";

/** A store that takes the lease away at the next appends. */
function losing(): { readonly store: SessionStore; lose(times: number): void } {
  let left = 0;
  const store = new Proxy(memoryStore(), {
    get(target, key) {
      const member = Reflect.get(target, key, target) as unknown;
      if (key !== "append") return typeof member === "function" ? (member.bind(target) as unknown) : member;
      return async (...[sessionId, batch]: Parameters<SessionStore["append"]>) => {
        if (left-- <= 0) return target.append(sessionId, batch);
        await target.release({ sessionId, owner: "", fence: batch.fence, expiresAt: 0, takeovers: 0 });
        throw new AgentError("session/lease-lost", "The store was late.");
      };
    },
  });
  return { store, lose: (times) => (left = times) };
}

test.each([
  [1, "done", 1],
  [2, "done", 1],
  [Number.POSITIVE_INFINITY, "error", 0],
] as const)("a lease that is lost %d times while the agent waits: %s", async (times, status, runs) => {
  const { store, lose } = losing();
  let paid = 0;
  const pay = toolOf("pay", () => `paid ${++paid}`, { permission: "ask" });
  const model = codeModel(({ results: [first] }) =>
    first ? { reply: first[0]!.state } : { calls: [{ name: "pay", input: {} }] },
  );
  const logic = agentLogic({ name: "payer", model, tools: [pay], store });
  const actor = createActor(logic, { input: { message: "go" } });
  let decisions = 0;
  actor.subscribe({
    next: ({ phase, pending }) => {
      if (phase !== "suspended" || pending.length === 0) return;
      if (++decisions === 1) lose(times);
      if (decisions > 100) return void actor.stop(); // it would be asked for ever
      actor.send({ type: "decide", callId: pending[0]!.callId, decision: "approve" });
    },
    error: () => {},
  });
  actor.start();
  await expect.poll(() => actor.getSnapshot().status).toBe(status);
  expect({ paid, decisions }).toEqual({ paid: runs, decisions: 1 });
});
