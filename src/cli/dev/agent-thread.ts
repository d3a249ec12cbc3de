import { existsSync } from "node:fs";
import { MessageChannel, Worker } from "node:worker_threads";
import { type AgentError, configError, messageOf } from "../../core/base/error.ts";
import type { WakeQueue } from "../../worker/queue/port.ts";
import type { AboutAgents } from "./about-agents.ts";
import { serveQueue } from "./serve-queue.ts";
import type { FromThread, LoadedFile, LogRecord, ThreadData, ToThread } from "./thread-messages.ts";

/** The thread's file: beside this one in the sources; a build puts this file into the main folder or a subfolder. */
const PATHS = ["./thread-main.ts", "./cli/dev-thread.mjs", "../cli/dev-thread.mjs", "./dev-thread.mjs"];
/** The maximum time that a thread may take to close what it has opened after its drain, ms. */
const CLOSE_MS = 5_000;

export type AgentThreadOptions = Omit<ThreadData, "queue"> & { readonly queue: WakeQueue };

/** The agents that a thread has loaded, and what is wrong with those that cannot be made. */
export type LoadedAgents = {
  readonly names: readonly string[];
  readonly about: AboutAgents;
  readonly problems: readonly string[];
};

/** The listener of a thread. */
export type ThreadListener = {
  readonly onFile: (file: LoadedFile) => void;
  readonly onLog: (record: LogRecord) => void;
  /** It has ended by itself, after it was ready. */
  readonly onCrash: (message: string) => void;
};

/**
 * A thread that loads the agents of a file and drives their sessions. A thread and not this one, because a module cannot be loaded
 * twice: with a thread all modules, timers and connections of the old code end, and a tool that never yields does not stop the server.
 */
export class AgentThread {
  /** Resolves with the agents when they take sessions; rejects with `config/invalid` if they cannot be loaded. */
  readonly ready: Promise<LoadedAgents>;
  readonly #worker: Worker;
  readonly #ended: Promise<void>;
  #isClosing = false;

  constructor({ queue, ...data }: AgentThreadOptions, listener: ThreadListener) {
    const { port1: here, port2: there } = new MessageChannel();
    const stopServing = serveQueue(here, queue);
    const file = PATHS.map((path) => new URL(path, import.meta.url)).find((url) => existsSync(url))!;
    const workerData: ThreadData = { ...data, queue: there };
    const worker = new Worker(file, { workerData, transferList: [there] });
    this.#worker = worker;
    const { promise: ready, resolve, reject } = Promise.withResolvers<LoadedAgents>();
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    let isReady = false;
    let problem = "it was ended by a call of process.exit()";
    worker.on("message", (message: FromThread) => {
      if (message.type === "file") listener.onFile(message);
      else if (message.type === "log") listener.onLog(message);
      else if (message.type === "failed") reject(failure(message));
      else {
        isReady = true;
        resolve({ names: message.agents, about: message.about, problems: message.problems });
      }
    });
    worker.on("error", (error: unknown) => (problem = crashText(error)));
    worker.on("exit", () => {
      stopServing();
      end();
      reject(configError(`${data.file} cannot be loaded: ${problem}.`));
      if (isReady && !this.#isClosing) listener.onCrash(problem);
    });
    this.ready = ready;
    this.#ended = ended;
  }

  /** Lets turns that run reach their next commit point, and ends the thread. What is left after `deadlineMs` is cut off, and goes on as
   *  after a crash. */
  async close(deadlineMs: number): Promise<void> {
    this.#isClosing = true;
    this.#worker.postMessage({ type: "close", deadlineMs } satisfies ToThread, []);
    const late = setTimeout(() => void this.#worker.terminate(), deadlineMs + CLOSE_MS);
    await this.#ended;
    clearTimeout(late);
  }

  /** Ends the thread at once. */
  async terminate(): Promise<void> {
    this.#isClosing = true;
    await this.#worker.terminate();
  }
}

function failure({ message, stack }: Extract<FromThread, { readonly type: "failed" }>): AgentError {
  const error = configError(message);
  error.stack = stack;
  return error;
}

/** Returns the text of an error that nobody has caught, and the place where it was thrown. */
function crashText(error: unknown): string {
  const [, place] =
    /^\s+at .*?(?:file:\/\/)?(\/[^()]*?:\d+):\d+\)?$/m.exec(
      error instanceof Error ? (error.stack ?? "") : "",
    ) ?? [];
  return place === undefined ? messageOf(error) : `${messageOf(error)} (${place})`;
}
