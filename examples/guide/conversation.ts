import { chatCompletionsServer } from "agentchart/testing";

// Stands in for a provider. It says its line, and shows what the last one of them has read.
const lines = [
  "Lyon. The food.",
  "Bergen. The rain is honest.",
  "Lyon, then.",
  "I would still go to Bergen.",
];
let read = "";
const provider = await chatCompletionsServer(({ messages }) => {
  read = String(messages.at(-1)!.content);
  return { content: lines.shift()! };
});
const connection = { baseURL: provider.baseURL, apiKey: "none" };

// #region conversation
import { createAgent } from "agentchart";
import { openaiModel } from "agentchart/openai";
import { createUserAgent, openHub, pipeline, repeat, sequence } from "agentchart/team";

const model = openaiModel({ model: "gpt-4o", formatter: "multiAgent", ...connection });
const ada = createAgent({ name: "ada", model, sysPrompt: "You love cities." });
const bob = createAgent({ name: "bob", model, sysPrompt: "You love the sea." });
const eve = createUserAgent({ name: "eve" }); // with `ask: terminalAsk()` she answers in the terminal
await openHub({ participants: [ada, bob, eve], announcement: "Where shall we go?" });

const talk = pipeline({ name: "talk", steps: repeat(sequence(ada, bob, eve), () => false, 2) });
let reply = await talk.call("Ada, begin.");
for (const answer of ["Somewhere warm.", "Decided."]) {
  const { callId, reason } = reply.pending[0]!; // it is her turn: the pipeline is suspended
  console.log(`${reason}\neve> ${answer}\n`);
  await talk.decide(callId, { respond: answer });
  reply = await talk.call();
}
// #endregion

console.log(read);
await provider.close();
