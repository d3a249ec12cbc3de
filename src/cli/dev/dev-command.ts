import { once } from "node:events";
import { join, resolve, relative } from "node:path";
import { hideSecrets } from "../../core/base/secrets.ts";
import { accessPolicy, isLoopback } from "../../inspect/hub/access-policy.ts";
import { pageFolder } from "../../inspect/hub/page-files.ts";
import { startHub, urlOf } from "../../inspect/hub/start-hub.ts";
import { createServer } from "../../server/create-server.ts";
import { serve } from "../../server/serve.ts";
import { SCOPES } from "../../server/tokens.ts";
import type { SessionStore } from "../../store/port.ts";
import { createDispatcher } from "../../worker/dispatcher.ts";
import { inProcessQueue } from "../../worker/queue/in-process.ts";
import { asSentence, errorMessage } from "../error-message.ts";
import type { Handler } from "../define-command.ts";
import { withStore } from "../open-store.ts";
import { withCleanup } from "../with-cleanup.ts";
import { shutdownSignal } from "../on-signal.ts";
import { AgentsHost } from "./agents-host.ts";
import type { dev as definition } from "./definitions.ts";
import { devApp } from "./dev-app.ts";
import { DEV_FOLDER, devToken, openDevFolder } from "./dev-folder.ts";
import { forkChat } from "./fork-chat.ts";
import { DevState } from "./dev-state.ts";
import { warmUpServer } from "./warm-up.ts";
import type { ErrorInfo } from "../../core/base/error.ts";
import type { LogRecord } from "./thread-messages.ts";

/** The tenant of all sessions: that of `agentchart serve --insecure-no-auth`. */
const TENANT = "local";

/** The store without what polls it: the thread that drives a session says when its journal has become longer. */
function unwatched(store: SessionStore): SessionStore {
  return {
    ...store,
    async *watch(_, { signal }) {
      if (!signal.aborted) await once(signal, "abort");
      yield* [];
    },
  };
}

/** Returns the problem that the page is told of agents that cannot be made. */
const problemOf = (problems: readonly string[]) =>
  problems.length > 0 ? { problem: problems.join(" ") } : {};

/** `agentchart dev`: the agents, a server with the chat page, and the inspector, until SIGTERM or SIGINT. */
export const devCommand: Handler<typeof definition> = async ({ flags }, { exit, stdout, terminal }) => {
  openDevFolder();
  const token = devToken();
  const storeSpec = flags.store ?? `sqlite:${join(DEV_FOLDER, "dev.db")}`;
  const ended = shutdownSignal(exit);
  const tellFailed = (problems: readonly string[]): void => {
    for (const problem of problems) terminal.fail(problem);
  };
  const queue = inProcessQueue();
  return withStore(storeSpec, async (given) => {
    const store = unwatched(given);
    const hub = await startHub({ host: flags.host, port: flags.inspectPort, store });
    const state = new DevState({ agents: [], about: {}, inspector: hub.link, reloads: 0 });
    const api = (agents: readonly string[]) =>
      createServer({
        dispatcher: createDispatcher({ store, queue }),
        store,
        tokens: [{ tenant: TENANT, scopes: SCOPES, token }],
        agents,
        onRequest: ({ status, method, route, error }) => {
          if (status >= 500) terminal.warn(`${method} ${route}: ${status} ${error?.message ?? ""}`);
        },
      });
    let current = api([]);
    const agents = new AgentsHost({
      thread: { file: flags.agents, store: storeSpec, inspect: hub.workerUrl, queue },
      files: flags.watch.map((file) => resolve(file)),
      drainMs: flags.drainMs,
      onLoaded: ({ names, about, problems }, changed) => {
        current = api(names);
        const { problem: _, ...info } = state.info;
        const reloads = info.reloads + 1;
        state.set({ ...info, agents: names, about, reloads, ...problemOf(problems) });
        terminal.note(loadedText(names, changed));
        tellFailed(problems);
        void warmUpServer(current, token);
      },
      onBroken: (error, goOn) => {
        const problem = asSentence(errorMessage(error));
        state.set({ ...state.info, problem });
        terminal.fail(goOn ? `${problem} The agents before it go on.` : problem);
      },
      onCrash: (message) => {
        state.set({ ...state.info, problem: `The agents have ended: ${message}` });
        terminal.fail(`The agents have ended: ${asSentence(message)} They are loaded again.`);
      },
      onLog: (record) => {
        if (record.level === "warn" || record.level === "error") terminal.warn(logText(record));
      },
    });
    const run = async (): Promise<number> => {
      const { names, about, problems } = await agents.start();
      current = api(names);
      await warmUpServer(current, token);
      state.set({ ...state.info, agents: names, about, ...problemOf(problems) });
      let policy = accessPolicy(flags.host, flags.port);
      const app = devApp({
        api: () => current,
        policy: () => policy,
        token,
        state,
        fork: (request) => forkChat(store, TENANT, request),
        pageFolder: pageFolder("chat"),
      });
      const server = await serve(app, { host: flags.host, port: flags.port });
      const { port } = new URL(server.url);
      const url = urlOf(flags.host, port);
      policy = accessPolicy(flags.host, Number(port));
      stdout.write(`Chat       ${url}/#t=${token}\nInspector  ${hub.link}\nAPI        ${url}/openapi.json\n`);
      if (!isLoopback(flags.host))
        terminal.warn(`Other machines can reach ${flags.host}: with the links, they can use your agents.`);
      terminal.note(
        `Agents of ${flags.agents}: ${namesOf(names)}. Sessions in ${hideSecrets(storeSpec)}. Ctrl-C ends it.`,
      );
      tellFailed(problems);
      await ended;
      terminal.note("Saving what runs. Ctrl-C again ends at once.");
      await Promise.all([server.close(), agents.close()]);
      return 0;
    };
    return withCleanup(
      () => withCleanup(run, () => agents.close()),
      async () => {
        await queue.close();
        await hub.close();
      },
    );
  });
};

const namesOf = (names: readonly string[]): string => names.join(", ");

/** Returns what the terminal says of agents that were loaded again. Turns that end well are seen in the page. */
function loadedText(agents: readonly string[], changed: readonly string[]): string {
  if (changed.length === 0) return `Loaded ${namesOf(agents)} again.`;
  return `${namesOf(changed.map((path) => relative(".", path)))} changed: loaded ${namesOf(agents)} again.`;
}

function logText({ event, fields }: LogRecord): string {
  const { agent, sessionId, error, reason } = fields as {
    readonly agent?: string;
    readonly sessionId?: string;
    readonly error?: ErrorInfo | string;
    readonly reason?: string;
  };
  const what = typeof error === "object" ? `${error.code}: ${error.message}` : (error ?? reason ?? "");
  const who = [agent, sessionId].filter((part) => part !== undefined).join(" ");
  return [event, who, what].filter((part) => part !== "").join(" · ");
}
