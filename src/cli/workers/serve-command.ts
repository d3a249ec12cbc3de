import { createServer } from "../../server/create-server.ts";
import type { RequestRecord, ServerOptions } from "../../server/options.ts";
import { serve } from "../../server/serve.ts";
import { createDispatcher } from "../../worker/dispatcher.ts";
import { createWorker } from "../../worker/worker.ts";
import type { Handler } from "../define-command.ts";
import type { serve as definition } from "./definitions.ts";
import { openMemory } from "../open-memory.ts";
import { checkAgents, loadAgents } from "./load-agents.ts";
import { mcpOptions } from "./mcp-options.ts";
import { parseJson, readText } from "../read-json.ts";
import { UsageError } from "../usage-error.ts";
import { logWorker } from "./log-worker.ts";
import { withBackend } from "./open-backend.ts";
import { openLog, type Log } from "./open-log.ts";
import { openTelemetry } from "./open-telemetry.ts";
import { withCleanup } from "../with-cleanup.ts";
import { shutdownSignal } from "../on-signal.ts";
import { configError } from "../../core/base/error.ts";
import { importMain } from "../import-file.ts";
import { isLoopback } from "../../server/authenticate.ts";
import { readTokens, type Token } from "../../server/tokens.ts";
import type { Environment } from "../terminal.ts";

/** `agentchart serve`: the HTTP server, and with `--agents` a worker in the same process, until SIGTERM or SIGINT. */
export const serveCommand: Handler<typeof definition> = async ({ flags }, { env, exit, terminal }) => {
  const { host, port, maxBody, rate } = flags;
  const tokens = await loadTokens(flags, env);
  const memory = flags.memory === undefined ? undefined : openMemory(flags.memory);
  const log = openLog(flags, env);
  const ended = shutdownSignal(exit);
  const telemetry = await openTelemetry(env, log);
  const work = () =>
    withBackend(flags, env, async ({ store, queue }) => {
      const agents = flags.agents === undefined ? undefined : await loadAgents(flags.agents);
      const names = flags.agent.length > 0 ? flags.agent : agents && Object.keys(agents);
      if (flags.mcp && !agents) throw new UsageError("'--mcp' needs '--agents'.");
      const mcp = flags.mcp ? await mcpOptions(flags.agents!, agents!, env) : undefined;
      const webhooks = flags.webhooks === undefined ? undefined : await loadWebhooks(flags.webhooks);
      const app = createServer({
        dispatcher: createDispatcher({ store, queue }),
        store,
        tokens,
        maxBodyBytes: maxBody,
        ready: () => queue.stats(),
        onRequest: (record) => logRequest(record, log),
        ...(names && { agents: names }),
        ...(flags.origin.length > 0 && { origins: flags.origin }),
        ...(mcp && { mcp }),
        ...(memory && { memory }),
        ...(webhooks && { webhooks }),
        ...(rate && { rateLimit: { perSecond: (rate.max / rate.perMs) * 1000, burst: rate.max } }),
      });
      const worker = agents && createWorker({ store, queue, agents: telemetry.observed(agents) });
      // Before the worker takes sessions: another program may have the port.
      const server = await serve(app, { host, port });
      if (worker) {
        logWorker(worker, log);
        await checkAgents(agents, log);
        await worker.start();
      }
      log.write("info", "listening", { url: server.url });
      if (tokens === "none") terminal.warn(`Every program on this machine may use ${server.url}.`);
      const signal = await ended;
      log.write("info", "close", { signal });
      await Promise.all([server.close(), worker?.close()]);
      return 0;
    });
  return withCleanup(work, async () => {
    await memory?.close();
    await telemetry.close();
  });
};

function logRequest({ error, ...record }: RequestRecord, log: Log): void {
  const level = record.status >= 500 ? "error" : "info";
  log.write(level, "request", { ...record, ...(error && { error: log.error(error) }) });
}

/** The webhooks that a file exports as its default export or by the name `webhooks`; the server checks them. Rejects with `config/invalid`
 *  for a file without any. */
async function loadWebhooks(file: string): Promise<NonNullable<ServerOptions["webhooks"]>> {
  const webhooks = await importMain(file, "webhooks");
  if (typeof webhooks === "object" && webhooks !== null && Object.keys(webhooks).length > 0)
    return webhooks as NonNullable<ServerOptions["webhooks"]>;
  throw configError(`${file} exports no webhooks: use "export default { name: { secrets, agent, input } }".`);
}

type TokenFlags = {
  readonly tokens: string | undefined;
  readonly insecureNoAuth: boolean;
  readonly host: string;
};

/** Returns the tokens of `--tokens` or AGENTCHART_TOKENS, or "none" for `--insecure-no-auth`. The latter is refused on a host that other
 *  machines can reach. Rejects with a {@link UsageError} without any of them, and with `config/invalid` for invalid tokens. */
async function loadTokens(
  { tokens: file, insecureNoAuth, host }: TokenFlags,
  env: Environment,
): Promise<readonly Token[] | "none"> {
  if (insecureNoAuth) {
    if (file !== undefined) throw new UsageError("'--tokens' and '--insecure-no-auth' exclude each other.");
    if (!isLoopback(host))
      throw new UsageError(`'--insecure-no-auth' is for this machine only, not for --host ${host}.`);
    return "none";
  }
  if (file !== undefined) return readTokens(parseJson(await readText(file, "--tokens"), `--tokens ${file}`));
  const content = env["AGENTCHART_TOKENS"];
  if (content) return readTokens(parseJson(content, "AGENTCHART_TOKENS"));
  throw new UsageError(
    "Missing tokens: use --tokens FILE or AGENTCHART_TOKENS, or --insecure-no-auth to allow every request from this machine.",
  );
}
