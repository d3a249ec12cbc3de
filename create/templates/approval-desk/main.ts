import { sqliteStore } from "agentchart/store/sqlite";
import { desk } from "./desk.ts";
import { chooseModel, resultIn } from "./model.ts";

const model = chooseModel(
  (request) => resultIn(request) ?? { tool: "refund", input: { orderId: "17", cents: 4_900 } },
);
const store = sqliteStore({ path: "desk.db" });
const agent = desk(model, { store, sessionId: "desk" });
const [words = "Refund order 17, 49 euros.", why] = process.argv.slice(2);

await agent.open();
let reply;
if (words === "yes" || words === "no") {
  for (const { callId, argsHash } of agent.status().pending)
    await agent.decide(callId, words === "yes" ? "approve" : { deny: why ?? "No." }, { argsHash });
  reply = await agent.call();
} else reply = await agent.call(words);

for (const { name, input, reason } of reply.pending)
  console.log(`${name} ${JSON.stringify(input)} waits (${reason}): npm start yes, or npm start no "why not"`);
console.log(reply.text);
await agent.close();
await store.close();
