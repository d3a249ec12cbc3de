// A process that begins a command, and is killed while it runs.
import { createAgent } from "agentchart";
import { fileStore } from "agentchart/store/file";
import { scriptedModel } from "agentchart/testing";
import { codingTools, folderWorkspace } from "agentchart/workspace";

const { root, sessions, sandbox, call } = JSON.parse(process.argv[2]!) as {
  readonly root: string;
  readonly sessions: string;
  readonly sandbox: "bubblewrap" | "none";
  readonly call: { readonly name: string; readonly input: { readonly [name: string]: string } };
};
const workspace = await folderWorkspace({ root, sandbox });
const agent = createAgent({
  name: "coder",
  model: scriptedModel([{ calls: [call] }]),
  tools: codingTools({ workspace }),
  store: fileStore({ dir: sessions }),
  sessionId: "s",
  sessionOptions: { leaseMs: 500 },
});
await agent.call("go");
