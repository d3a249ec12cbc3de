/** A project of the matrix: what is installed, how its state is kept, as its own documentation says, and what that promises of each row. */
export type Peer = {
  readonly title: string;
  readonly packages: readonly string[];
  readonly how: string;
  readonly sources: readonly string[];
  /** What the project promises of a row, in our words; of a row that is missing it promises nothing. */
  readonly promises: { readonly [row: string]: string };
  /** Rows that the project says it does not support. */
  readonly cannot?: { readonly [row: string]: string };
  /** The only rows that are run. */
  readonly rows?: readonly string[];
};

const LANGGRAPH = "https://docs.langchain.com/oss/javascript/langgraph";
const AI_SDK = "https://ai-sdk.dev/docs";
const MASTRA = "https://mastra.ai/docs";

export const PEERS: { readonly [system: string]: Peer } = {
  agentchart: {
    title: "Agentchart",
    packages: ["agentchart"],
    how: "`sqliteStore`; another process opens the session and calls `call()`. The tools do not say that they are idempotent.",
    sources: ["guide/sessions.md", "guide/people.md", "changed-agents.md"],
    promises: {
      restart: "any process resumes a waiting turn, with the same ids and arguments",
      "crash before": "a call whose outcome is unknown is asked about",
      "crash after": "a call whose outcome is unknown is asked about",
      "double submit": "one process at a time has a session",
      "late submit": "the first decision about a call counts",
      "sub-agent":
        "what waits inside is decided at the outermost agent, and what has a result is not repeated",
      "changed tool": "a new release asks again about a tool that has changed",
      "removed tool": "a call of a tool that is gone is answered with an error",
      "tool retry": "an approval holds for one call",
      parallel: "what has a result is not repeated, and what was cut off is asked about",
    },
  },
  "ai-sdk": {
    title: "AI SDK",
    packages: ["ai"],
    how: "`ToolLoopAgent` with `toolApproval` and a secret for approvals; `onEnd` stores the messages, and a tab sends those that it shows.",
    sources: [
      `${AI_SDK}/agents/tool-approvals`,
      `${AI_SDK}/ai-sdk-ui/chatbot-message-persistence`,
      `${AI_SDK}/agents/workflow-agent`,
    ],
    promises: {
      restart: "an approval lives in the stored messages",
      "changed tool": "a stored call is checked against the schema again; the app handles the error",
      "removed tool": "a stored call is checked against the tools again; the app handles the error",
      "tool retry": "an approval is bound to one call",
    },
    cannot: { "sub-agent": "tools of sub-agents cannot ask for approvals, says its documentation" },
  },
  langgraph: {
    title: "LangGraph.js",
    packages: ["langchain", "@langchain/langgraph", "@langchain/langgraph-checkpoint-sqlite"],
    how: '`createAgent` with `humanInTheLoopMiddleware` and `SqliteSaver`, durability `"sync"`; after a crash `invoke(null)` on the thread.',
    sources: [
      `${LANGGRAPH}/durable-execution`,
      `${LANGGRAPH}/persistence`,
      "https://docs.langchain.com/oss/javascript/langchain/human-in-the-loop",
    ],
    promises: {
      restart: "an interrupted thread is resumed later, from its checkpoint",
      "crash before": "a run goes on from its last recorded step",
      "crash after": "the step that was cut off runs again: its effects are to be idempotent",
      "sub-agent": "a sub-graph that was interrupted goes on from its own checkpoint",
      "tool retry": "each call of the tool is reviewed",
      parallel:
        "steps that have ended are kept, and the one that was cut off runs again: its effects are to be idempotent",
    },
  },
  deepagents: {
    title: "Deep Agents",
    packages: ["deepagents"],
    how: "`createDeepAgent` with a sub-agent that has `interruptOn`, and `SqliteSaver`. Only the row of sub-agents is run.",
    sources: ["https://docs.langchain.com/oss/javascript/deepagents/human-in-the-loop"],
    promises: { "sub-agent": "a sub-agent may ask, and is resumed" },
    rows: ["sub-agent"],
  },
  mastra: {
    title: "Mastra, Agent",
    packages: ["@mastra/core", "@mastra/libsql"],
    how: "`Agent` with `requireApproval` and `LibSQLStore`; another process finds the run with `listSuspendedRuns()`.",
    sources: [`${MASTRA}/agents/human-in-the-loop`, `${MASTRA}/subagents`],
    promises: {
      restart: "a suspended run is found and resumed after a restart",
      "sub-agent": "approvals of sub-agents surface at their parent",
      "tool retry": "each call of the tool pauses",
    },
  },
  "mastra-durable": {
    title: "Mastra, durable",
    packages: ["@mastra/core", "@mastra/libsql"],
    how: '`createDurableAgent` (beta) with `LibSQLStore` and `recovery.durableAgents: "auto"`; a new process calls `recoverAllDurableAgents()`.',
    sources: [`${MASTRA}/harness/durable-agents`],
    promises: {
      restart: "a suspended run survives a restart",
      "crash before": "a run is driven on from its last snapshot",
      "crash after":
        "a run is driven on from its last snapshot, and tools run again: they are to be idempotent",
      "sub-agent": "approvals of sub-agents surface at their parent",
      "tool retry": "each call of the tool pauses",
      parallel: "a run is driven on from its last snapshot, and tools run again: they are to be idempotent",
    },
  },
  "openai-agents": {
    title: "OpenAI Agents",
    packages: ["@openai/agents"],
    how: "`needsApproval`; the `RunState` of a run that waits or has ended is stored as text, and `RunState.fromString` brings it back.",
    sources: ["https://openai.github.io/openai-agents-js/guides/human-in-the-loop"],
    promises: {
      restart: "a stored state is resumed later",
      "sub-agent": "approvals of nested agents surface at the outer run",
      "tool retry": "an approval is of one call, unless it is made sticky",
    },
  },
};
