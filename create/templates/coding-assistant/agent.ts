import { createAgent, type AgentConfig, type ChatModel } from "agentchart";
import { codingPermissions, codingTools, type Workspace } from "agentchart/workspace";

/** The configuration of an agent that reads, edits and tests what is in a workspace. Edits and other commands than tests need an approval. */
export const coderConfig = (model: ChatModel, workspace: Workspace): AgentConfig => ({
  name: "coder",
  sysPrompt: "You mend programs. Read before you edit, and run `node --test` at the end.",
  model,
  tools: codingTools({ workspace }),
  permissions: codingPermissions({ workspace, allow: ["node --test*"] }),
  maxIters: 50,
});

/** The agent, in a conversation of its own. */
export const coder = (model: ChatModel, workspace: Workspace) => createAgent(coderConfig(model, workspace));
