import { createServer } from "../../server/create-server.ts";
import type { RequestRecord } from "../../server/options.ts";
import { serve } from "../../server/serve.ts";
import { createDispatcher } from "../../worker/dispatcher.ts";
import type { GivenFlags } from "../read-flags.ts";
import type { Surroundings } from "../surroundings.ts";
import { countOf, noWords } from "../words.ts";
import { withBackend } from "./open-backend.ts";
import { openLog, type Log } from "./open-log.ts";
import { portOf, rateOf } from "./read-options.ts";
import { tokensOf } from "./read-tokens.ts";
import { signalled } from "./signalled.ts";

const PORT = 8790;

/** `agentchart serve`: the HTTP interface to sessions, until it is told to end. Gives the exit code. */
export async function serveCommand(
  flags: GivenFlags,
  { env, exit, terminal }: Surroundings,
): Promise<number> {
  noWords(flags);
  const host = flags.text("host") ?? "127.0.0.1";
  const port = portOf(flags, "port") ?? PORT;
  const [maxBodyBytes, rate] = [countOf(flags, "max-body"), rateOf(flags)];
  const agents = flags.texts("agent");
  const tokens = await tokensOf(flags, env, host);
  const log = openLog(flags, env);
  const told = signalled(exit);
  return withBackend(flags, env, async ({ store, queue }) => {
    const app = createServer({
      dispatcher: createDispatcher({ store, queue }),
      store,
      tokens,
      ready: () => queue.stats(),
      onRequest: (record) => logRequest(record, log),
      ...(agents.length > 0 && { agents }),
      ...(maxBodyBytes !== undefined && { maxBodyBytes }),
      ...(rate && { rateLimit: { perSecond: (rate.max / rate.perMs) * 1000, burst: rate.max } }),
    });
    const served = await serve(app, { host, port });
    log.write("info", "listening", { url: served.url });
    if (tokens === "none") terminal.warn(`Anybody on this machine may use ${served.url}.`);
    const signal = await told;
    log.write("info", "close", { signal });
    await served.close();
    return 0;
  });
}

function logRequest({ error, ...record }: RequestRecord, log: Log): void {
  const level = record.status >= 500 ? "error" : "info";
  log.write(level, "request", { ...record, ...(error && { error: log.error(error) }) });
}
