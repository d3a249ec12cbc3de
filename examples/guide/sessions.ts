import { createAgent, defineTool } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { z } from "zod";

const refund = defineTool({
  name: "refund",
  description: "Pays money back for an order.",
  input: z.object({ orderId: z.string() }),
  execute: ({ orderId }) => `Refunded order ${orderId}.`,
});
const calls = [{ name: "refund", input: { orderId: "17" } }];

// #region store
import { fileStore } from "agentchart/store/file";

const store = fileStore({ dir: "./sessions" });
const config = { name: "desk", tools: [refund], store, sessionId: "customer-42" };

const agent = createAgent({ ...config, model: scriptedModel([{ calls }, "Order 17 is refunded."]) });
await agent.call("Refund order 17.");
await agent.shutdown(); // stops at the next step and frees the session for another process
// #endregion

// #region open
const later = createAgent({ ...config, model: scriptedModel(["You asked about order 17."]) });
await later.open();
const { phase } = later.status();
const reply = await later.call(phase === "unfinished" ? undefined : "What did I ask before?");
console.log(phase, reply.text, (await later.messages()).length);
// #endregion

// #region edit
await later.edit((messages) => messages.filter(({ metadata }) => metadata["isPrivate"] !== true));
await later.close(); // frees the session as well, with nothing running
// #endregion

// #region history
import { openSession } from "agentchart/session";

const stored = await openSession(store, "customer-42");
const now = await stored.at();
console.log(now.state, now.messages.length);
const { sessionId } = await stored.fork(now.seq, { sessionId: "customer-42-retry" });
console.log(sessionId, await stored.forks());
// #endregion

// #region snapshot
const saved = JSON.stringify(later.snapshot()); // without a store: one JSON document
const { store: _, ...rest } = config;
const sessionOptions = { snapshot: JSON.parse(saved) };
const revived = createAgent({ ...rest, model: scriptedModel([]), sessionOptions });
console.log((await revived.messages()).length);
// #endregion
