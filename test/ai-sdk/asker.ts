import { createAgent, defineTool, type ChatModel } from "agentchart";
import { aiSdkModel } from "agentchart/ai-sdk";
import { openaiModel } from "agentchart/openai";
import { fileStore } from "agentchart/store/file";
import { providers } from "./providers.ts";

/** What a process does with session `s`: the call that rests for an approval, the approval and what follows, or both. */
export type Asking = {
  readonly provider: string;
  readonly baseURL: string;
  readonly dir: string;
  readonly does: "call" | "approve" | "both";
};

const { provider, baseURL, dir, does } = JSON.parse(process.argv[2]!) as Asking;

function makeModel(): ChatModel {
  if (provider === "openaiModel")
    return openaiModel({ model: "gpt-5", api: "responses", apiKey: "key-of-mine", baseURL });
  const openai = { store: false, include: ["reasoning.encrypted_content"] };
  return aiSdkModel(providers[provider]!({ baseURL }), { providerOptions: { openai } });
}
const harbour = defineTool({
  name: "harbour",
  description: "Finds a harbour.",
  input: { type: "object", properties: { town: { type: "string" } } },
  execute: () => "Quay 4",
});
const agent = createAgent({
  name: "a",
  model: makeModel(),
  tools: [harbour],
  permissions: { rules: [{ tool: "harbour", action: "ask" }] },
  store: fileStore({ dir }),
  sessionId: "s",
});
if (does !== "approve") await agent.call("Where?");
if (does !== "call") {
  await agent.open();
  for (const { callId } of agent.status().pending) await agent.decide(callId, "approve");
  await agent.call().catch(() => undefined); // the server says the same again
}
await agent.close();
