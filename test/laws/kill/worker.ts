import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { defineSlot, defineTool, textOf } from "agentchart";
import { finish, plannedAgent, plannedTools, valueOf } from "../../support/planned.ts";
import { openStore } from "../../support/open-store.ts";
import { dyingStore } from "./dying-store.ts";
import type { Orders } from "./live.ts";

const orders = JSON.parse(process.argv[2]!) as Orders;
const real = await openStore(orders.store);
const { store, appends } = dyingStore(real, orders.dieAt);

const write = (callId: string): void =>
  appendFileSync(orders.ledger, `${JSON.stringify({ callId, at: Date.now() })}\n`);
const ran = (callId: string): boolean =>
  existsSync(orders.ledger) && readFileSync(orders.ledger, "utf8").includes(`"${callId}"`);

/** The calls of `quick` that have a result, as it notes them itself. */
const finished = defineSlot<readonly string[]>({ name: "finished", initial: [] });
const quick = defineTool({
  name: "quick",
  description: "quick",
  input: { type: "object" },
  idempotent: true,
  writes: [finished],
  execute: (_, { callId, slots }) => {
    write(callId);
    return {
      output: [{ type: "text", text: valueOf(callId) }],
      slots: { finished: [...slots.get(finished), callId] },
    };
  },
});

/** The lease of the life before may still hold: it died without releasing it. */
async function openWhenFree(): Promise<ReturnType<typeof plannedAgent>> {
  for (;;) {
    const agent = plannedAgent({
      store,
      sessionId: orders.sessionId,
      tools: plannedTools(write, 15).map((tool) => (tool.name === "quick" ? quick : tool)),
      sessionOptions: { leaseMs: 50 },
    });
    try {
      await agent.open();
      return agent;
    } catch (error) {
      if (!["session/conflict", "session/lease-lost"].includes((error as { code?: string }).code ?? ""))
        throw error;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

/** Goes on until the answer is there: a process whose short lease was not renewed in time opens the session again. */
async function answer(): Promise<string> {
  for (;;) {
    const agent = await openWhenFree();
    try {
      await finish(agent, ran);
      const last = (await agent.messages()).at(-1)!;
      await agent.close();
      return textOf(last);
    } catch (error) {
      if ((error as { readonly code?: string }).code !== "session/lease-lost") throw error;
    }
  }
}

const text = await answer();
await real.close();
process.stdout.write(`DONE ${appends()} ${text}\n`);
