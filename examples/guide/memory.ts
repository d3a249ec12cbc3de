import { scriptedModel } from "agentchart/testing";

const extractor = scriptedModel(["The user lives in Oslo.\nThe user likes green tea.", "NONE"]);

// #region memory
import { createAgent, type ChatModel } from "agentchart";
import { longTermMemory, sqliteMemory } from "agentchart/memory";

const store = sqliteMemory({ path: "./memory.db" });
const memory = longTermMemory({
  store,
  scope: ({ context }) => (context as { user: string }).user,
  mode: "static",
  record: { model: extractor },
});
const agentFor = (user: string, model: ChatModel) =>
  createAgent({ name: "desk", model, context: { user }, hooks: [memory] });
// #endregion

const model = scriptedModel(["Noted.", "Green tea."]);

// #region use
await agentFor("acme/ada", model).call("I live in Oslo, and I like green tea.");
const later = agentFor("acme/ada", model); // another session, on another day
console.log((await later.call("Which tea do I like?")).text);
console.log(model.requests[1]!.messages.at(-1)!.content[0]);
// #endregion

// #region review
for (const { text } of (await store.list("acme/ada")).memories) console.log(text);
await store.remove("acme/ada"); // all of it
await store.close();
// #endregion
