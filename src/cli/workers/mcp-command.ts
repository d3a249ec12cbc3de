import { mcpStdio } from "../../server/mcp-stdio.ts";
import { createDispatcher } from "../../worker/dispatcher.ts";
import { createWorker } from "../../worker/worker.ts";
import type { Handler } from "../define-command.ts";
import type { mcp as definition } from "./definitions.ts";
import { checkAgents, loadAgents } from "./load-agents.ts";
import { logWorker } from "./log-worker.ts";
import { mcpOptions } from "./mcp-options.ts";
import { withBackend } from "./open-backend.ts";
import { openLog } from "./open-log.ts";
import { shutdownSignal } from "../on-signal.ts";

/** `agentchart mcp`: an MCP server over stdio, and a worker for its agents, until the host closes stdin. */
export const mcpCommand: Handler<typeof definition> = async ({ flags }, { env, exit, stdout }) => {
  const log = openLog(flags, env);
  const ended = shutdownSignal(exit);
  return withBackend(flags, env, async ({ store, queue }) => {
    const agents = await loadAgents(flags.agents);
    const mcp = await mcpOptions(flags.agents, agents, env);
    const worker = createWorker({ store, queue, agents });
    logWorker(worker, log);
    await checkAgents(agents, log);
    await worker.start();
    const dispatcher = createDispatcher({ store, queue });
    const server = await mcpStdio({ dispatcher, store, mcp }, (text) => void stdout.write(text));
    const signal = await Promise.race([ended, server.ended]);
    log.write("info", "close", { signal });
    await Promise.all([server.close(), worker.close()]);
    return 0;
  });
};
