// Decisions that race at several servers.
import { expect, onTestFinished, test } from "vitest";
import { createAgent, type PendingCall } from "agentchart";
import { createServer } from "agentchart/server";
import { createDispatcher, createWorker, inProcessQueue } from "agentchart/worker";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { collectAll } from "../../src/testing/store-contract-kit.ts";
import { toolOf } from "../support/agents.ts";
import { TOKENS } from "./open-server.ts";

const TENANT = { tenant: "acme", scopes: ["read", "write", "decide"], token: TOKENS.acme } as const;

/** A session that waits for an approval, servers of it with a dispatcher each, and what its tool has done. */
async function waiting(servers: number) {
  const store = memoryStore();
  const queue = inProcessQueue();
  onTestFinished(() => queue.close());
  const ran: unknown[] = [];
  const pay = toolOf("pay", (input) => `paid ${ran.push(input)}`, { permission: "ask" });
  const script = [{ calls: [{ id: "c", name: "pay", input: { n: 1 } }] }, "Done."];
  const meta = { tenant: "acme", agent: "desk" };
  const config = { name: "desk", model: scriptedModel(script), tools: [pay] };
  const agent = createAgent({ ...config, store, sessionId: "acme/s", meta });
  await agent.call("Pay.");
  const call: PendingCall = agent.status().pending[0]!;
  await agent.close();
  const apps = Array.from({ length: servers }, () =>
    createServer({ dispatcher: createDispatcher({ queue, store }), store, tokens: [TENANT] }),
  );
  const decide = async (nr: number, decision: unknown, key = `key-${nr}`) => {
    const response = await apps[nr % servers]!.request("/v1/sessions/s/decisions", {
      method: "POST",
      headers: {
        Authorization: `Bearer ${TOKENS.acme}`,
        "Content-Type": "application/json",
        "Idempotency-Key": key,
      },
      body: JSON.stringify({ callId: call.callId, argsHash: call.argsHash, decision }),
    });
    const { code } = (await response.json()) as { readonly code?: string };
    return [response.status, code] as const;
  };
  const work = async () => {
    const agents = { desk: () => ({ ...config, model: scriptedModel(["Done."]) }) };
    const worker = createWorker({ queue, store, agents, sweepMs: 50, pollMs: 20 });
    onTestFinished(() => worker.close({ deadlineMs: 100 }));
    await worker.start();
    await expect.poll(async () => (await store.load("acme/s"))?.position["phase"]).toBe("stopped");
    await expect.poll(() => store.takeInputs("acme/s", 99)).toEqual([]);
  };
  const refused = async () =>
    (await collectAll(store.read("acme/s"))).flatMap(({ type, data }) =>
      type === "input.refused"
        ? [[data["inputId"] ?? data["id"], (data["error"] as { readonly code: string }).code]]
        : [],
    );
  return { decide, work, refused, ran };
}

const DECISIONS = [
  "deny",
  "approve",
  { edit: { n: 9 } },
  { answer: "paid elsewhere" },
  { deny: "no" },
] as const;

test.for(DECISIONS.map((first, at) => [first, DECISIONS[(at + 1) % DECISIONS.length]!] as const))(
  "the first decision of racing ones counts, the others are refused with 409, and so are later ones: %j before %j",
  async ([first, second]) => {
    const { decide, work, ran } = await waiting(1);
    const posts = Array.from({ length: 16 }, (_, nr) => decide(nr, nr === 0 ? first : second));
    const answers = await Promise.all(posts);
    expect(answers[0]).toEqual([202, undefined]);
    expect(answers.slice(1)).toEqual(Array.from({ length: 15 }, () => [409, "run/stale-decision"]));
    expect(await decide(0, first, "key-0")).toEqual([202, undefined]); // the same one again
    await work();
    expect(await decide(99, second)).toEqual([409, "run/stale-decision"]);
    const expected =
      first === "approve" ? [{ n: 1 }] : typeof first === "object" && "edit" in first ? [{ n: 9 }] : [];
    expect(ran).toEqual(expected);
  },
);

test("of decisions that race at several servers one counts, and each other accepted one is refused by its id", async () => {
  const { decide, work, refused, ran } = await waiting(4);
  const posts = Array.from({ length: 16 }, (_, nr) => decide(nr, { edit: { n: nr } }));
  const answers = await Promise.all(posts);
  const accepted = answers.flatMap(([status], nr) => (status === 202 ? [nr] : []));
  expect(answers.filter(([status]) => status === 409).length).toBe(16 - accepted.length);
  await work();
  expect(ran).toHaveLength(1);
  const { n: winner } = ran[0] as { readonly n: number };
  expect(accepted).toContain(winner);
  const losers = accepted.filter((nr) => nr !== winner);
  expect(await refused()).toEqual(losers.map((nr) => [`key-${nr}`, "run/stale-decision"]));
});
