import { maxIters } from "./option-sources.ts";
import { boolean, integer, required, string, strings, withDefault } from "./define-command.ts";

export const STORES = "file:DIR, sqlite:PATH, postgres://USER@HOST/DATABASE or partitions:FILE";

/** The argument of the commands for one session. */
export const SESSION_ID = {
  id: required(string("id", "id of the session; one that begins with a dash goes after --")),
};

/** The file of the commands that drive agents. */
export const AGENTS_FILE = {
  agents: required(
    string("FILE", "file that exports the agents", {
      Agents: `A .ts or .js file that exports { name: (session) => configuration }, by default or as "agents".`,
    }),
  ),
};

/** The store of the commands that read and write sessions. */
export const STORE = {
  store: string("STORE", "store of the sessions (default: file:~/.agentchart/sessions)", { Stores: STORES }),
};

/** The store and the queue of workers. */
export const BACKEND = {
  store: string("STORE", "store of the sessions (default: postgres, if DATABASE_URL is set)", {
    Stores: `${STORES};\n"postgres" is the database of DATABASE_URL`,
  }),
  queue: string("QUEUE", "queue of the wake-ups (default: the store, if it is on Postgres)", {
    Queues: `redis://HOST, postgres://USER@HOST/DATABASE, or "memory" for one process ("serve --agents");
other processes then find work by polling the store, and get no deltas. "redis" is the server of REDIS_URL, "postgres" the database of DATABASE_URL`,
    Environment: `DATABASE_URL  connection string of Postgres, which then is not on the command line
REDIS_URL     connection string of Redis, which then is not on the command line`,
  }),
};

/** The agent, which a session does not store: every process needs these flags again. */
export const AGENT = {
  model: string(
    "NAME",
    "model, or PROVIDER/NAME of an AI SDK provider (default: gpt-4.1-mini at OpenAI, qwen-plus at DashScope)",
  ),
  baseUrl: string("URL", "server with the Chat Completions API", {
    Environment: `OPENAI_API_KEY     key for OpenAI, or for the server of --base-url
OPENAI_BASE_URL    default of --base-url; a server such as Ollama needs no key
DASHSCOPE_API_KEY  key for DashScope, which is used if neither of the above is set
NO_COLOR           disables colors, which are used in terminals only`,
  }),
  tools: strings("FILE", "file that exports tools", {
    Tools: `A .ts or .js file that exports tools made with defineTool(), by name or as "export default [...]".`,
  }),
  mcp: strings("COMMAND", 'MCP server to start and speak to over stdio, such as "npx -y SERVER"', {
    "MCP servers": `Their tools are called SERVER__TOOL. --mcp-config reads { "mcpServers": { "NAME": { "command", "args", "env", "cwd" }
or { "url", "headers" } } }. What a file names is shown and must be confirmed, once for its content and the current folder;
without a terminal, --mcp-trust HASH confirms it. Needs the package @modelcontextprotocol/client.`,
  }),
  mcpUrl: strings("URL", "MCP server to connect to over HTTP"),
  mcpConfig: strings("FILE", "file that names MCP servers; no file is read without this flag"),
  mcpTrust: strings("HASH", "confirm the file of --mcp-config with this hash, which the refusal prints"),
  system: string("TEXT", "system prompt"),
  skills: strings("DIR", "directory with a folder for each skill, as agentskills.io describes them"),
  maxIters: withDefault(integer("N", "model calls of a turn before it is summarized", maxIters), 10),
};

/** The output of the commands that run a turn. */
export const JSON_EVENTS = {
  json: boolean("print one AgentEvent per line on stdout, and nothing else there"),
};

/** The output of the commands that print a table or a line in a terminal. */
export const JSON_RESULT = { json: boolean("print JSON in a terminal too; elsewhere it is the default") };

/** The exit codes of the commands that run a turn. */
export const TURN_EXIT_CODES = `0    success; also if the turn waits for open calls, which are printed, and if SIGTERM saved it
1    failure, or interrupted by Ctrl-C
2    wrong usage
130  second Ctrl-C`;
