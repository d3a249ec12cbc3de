import { textOf } from "agentchart";
import { scriptedModel } from "agentchart/testing";

const task = { agent: "researcher", message: "What is a statechart?" };
const model = scriptedModel([
  { calls: [{ id: "call_1", name: "task_start", input: task }] },
  "I have asked somebody.",
  "It is a machine with states inside of states.",
]);
const researcherModel = scriptedModel(["A state machine with hierarchy."]);

// #region start
import { memoryStore } from "agentchart/store/memory";
import { backgroundAgents, createDispatcher, createWorker, inProcessQueue } from "agentchart/worker";

const backend = { queue: inProcessQueue(), store: memoryStore() };
const tools = backgroundAgents({ ...backend, agents: { researcher: "Finds facts; takes minutes." } });
const worker = createWorker({
  ...backend,
  agents: {
    desk: () => ({ name: "desk", model, tools }),
    researcher: () => ({ name: "researcher", model: researcherModel }),
  },
});
await worker.start();

const dispatcher = createDispatcher(backend);
await dispatcher.dispatch("customer-42", "What is a statechart?", { agent: "desk" });
for await (const event of dispatcher.subscribe("customer-42")) {
  if (event.type !== "message" || !event.message.metadata["task"]) continue;
  console.log(textOf(event.message));
  break; // the desk reads it, and answers
}
// #endregion
await worker.close();
await backend.queue.close();
