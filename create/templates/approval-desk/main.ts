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
const { pending } = agent.status();
const decides = words === "yes" || words === "no";
if (decides && pending.length === 0) console.log("Nothing waits.");
else if (decides || pending.length === 0) {
  for (const { callId, argsHash } of pending)
    await agent.decide(callId, words === "yes" ? "approve" : { deny: why ?? "No." }, { argsHash });
  const { text } = await (decides ? agent.call() : agent.call(words));
  if (text) console.log(text);
}
for (const { name, input, reason } of agent.status().pending)
  console.log(`${name} ${JSON.stringify(input)} waits (${reason}): npm start yes, or npm start no "why not"`);
await agent.close();
await store.close();
