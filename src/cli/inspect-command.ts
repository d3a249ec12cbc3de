import { isLoopback } from "../inspect/hub/access-policy.ts";
import { startHub } from "../inspect/hub/start-hub.ts";
import type { Handler } from "./define-command.ts";
import type { inspect } from "./definitions.ts";
import { loadSuspicions } from "./load-suspicions.ts";
import { shutdownSignal } from "./on-signal.ts";
import { withStore } from "./open-store.ts";

/** `agentchart inspect`: serves the visualizer until the first signal. */
export const inspectCommand: Handler<typeof inspect> = async ({ flags }, { stdout, terminal, exit }) => {
  const { host, port, open, readonly } = flags;
  const suspicions = await loadSuspicions(flags.suspicions);
  return withStore(flags.store, async (store) => {
    await store.list({ limit: 1 }); // reports a store that cannot be reached here instead of in the page
    const hub = await startHub({ host, port, store, files: open, readonly, suspicions });
    if (!isLoopback(host))
      terminal.warn(
        `Other machines can reach ${host}: with the link, they can see everything and answer for you.`,
      );
    const ended = shutdownSignal(exit);
    stdout.write(`${hub.link}\n`);
    terminal.note('Agents made with createAgent({ inspect: "auto" }) appear there. Ctrl-C ends it.');
    terminal.note(
      `Machines in pages of a browser do by agentchart/inspect/browser and the url ${hub.browserUrl}`,
    );
    terminal.note(`Machines that report with @statelyai/inspect do, too, by the url ${hub.statelyUrl}`);
    await ended;
    await hub.close();
    return 0;
  });
};
