import { scriptedModel } from "agentchart/testing";
// #region define
import { createAgent, defineTool, toolError } from "agentchart";
import { z } from "zod";

const search = defineTool({
  name: "search_orders",
  description: "Finds the orders of a customer.",
  input: z.object({ customer: z.string(), limit: z.number().int().max(100).default(10) }),
  idempotent: true, // after a crash a call that was cut off runs again
  async *execute({ customer, limit }, { signal }) {
    yield `searching for ${customer}`; // progress, for streams and hooks
    signal.throwIfAborted(); // aborts on an interrupt, a time-out and a shutdown
    return { customer, orders: ["17", "18"].slice(0, limit) }; // the model reads JSON
  },
});
// #endregion

// #region failure
const refund = defineTool({
  name: "refund",
  description: "Pays money back for an order.",
  input: z.object({ orderId: z.string(), cents: z.number().int().positive() }),
  execute: ({ orderId, cents }, { idempotencyKey }) => {
    if (orderId !== "17") return toolError(`There is no order ${orderId}.`);
    return `Paid back ${cents} cents (payment ${idempotencyKey}).`;
  },
});
// #endregion

// #region preset
const audit = defineTool({
  name: "audit",
  description: "Writes a line into the audit log.",
  input: z.object({ line: z.string(), tenant: z.string() }),
  preset: { tenant: "acme" }, // the model neither sees nor chooses it
  execute: ({ line, tenant }) => `${tenant}: ${line}`,
});
// #endregion

// #region limits
const report = defineTool({
  name: "report",
  description: "Makes the report of a day.",
  input: z.object({ day: z.string() }),
  maxParallel: 1, // never two at once
  execution: { timeoutMs: 60_000, maxAttempts: 3, initialBackoffMs: 1_000, retryOn: "all" },
  execute: ({ day }, { attempt }) => `the report of ${day}, attempt ${attempt}`,
});
// #endregion

// #region object
import { toolsFrom } from "agentchart";

class Stock {
  readonly #pieces = new Map([["lamp", 3]]);

  count({ item }: { item: string }): number {
    return this.#pieces.get(item) ?? 0;
  }

  reserve({ item }: { item: string }): string {
    this.#pieces.set(item, this.count({ item }) - 1);
    return "ok";
  }
}
const item = z.string();
const stockTools = toolsFrom(new Stock(), {
  count: { description: "Counts the pieces of an item.", input: z.object({ item }), idempotent: true },
  reserve: { name: "reserve_item", description: "Reserves a piece.", input: z.object({ item }) },
});
// #endregion

const model = scriptedModel([
  {
    calls: [
      { name: "search_orders", input: { customer: "Ann" } },
      { name: "refund", input: { orderId: "99", cents: 1250 } },
      { name: "refund", input: { orderId: "17" } },
      { name: "audit", input: { line: "refund", tenant: "other" } },
      { name: "report", input: { day: "Monday" } },
      { name: "reserve_item", input: { item: "lamp" } },
      { name: "count", input: { item: "lamp" } },
    ],
  },
  "Done.",
]);

// #region run
const agent = createAgent({
  name: "desk",
  model,
  tools: [search, refund, audit, report, ...stockTools],
  parallelToolCalls: 4, // default: one after the other
});
await agent.call("Refund the orders of Ann.");

for (const message of await agent.messages()) {
  for (const block of message.content) {
    if (block.type !== "tool_result") continue;
    const [text] = block.output;
    console.log(`${block.name} ${block.state}: ${text?.type === "text" ? text.text : ""}`);
  }
}
// #endregion

// #region groups
import { createToolkit } from "agentchart";

const pay = defineTool({
  name: "pay",
  description: "Pays an invoice.",
  input: z.object({ invoice: z.string() }),
  groups: ["money"],
  execute: ({ invoice }) => `paid ${invoice}`,
});
const toolkit = createToolkit({
  groups: [{ name: "money", description: "Tools that pay.", active: false }],
  tools: [search, pay],
  metaTool: true, // the model may switch groups itself, with the tool `reset_equipped_tools`
});
createAgent({ name: "clerk", model, toolkit }).toolkit.setGroups({ activate: ["money"] });
// #endregion

// #region invoke
const result = await agent.toolkit.invoke("refund", { orderId: "99", cents: 1250 });
console.log(`invoked: ${result.state}`);
// #endregion
