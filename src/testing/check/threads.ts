import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { walkRule, type Walked } from "./walk-rule.ts";
import type { Extent, RuleWorld } from "./worlds.ts";

/** One walk that is to be made. */
export type Task = {
  readonly ruled: RuleWorld;
  readonly extent: Extent;
  /** True to find the longest run too. */
  readonly measuresRuns: boolean;
  /** The instant at which it ends before its end, epoch ms. */
  readonly until: number;
};

/** The message of a thread about its task. */
export type TaskMessage =
  | { readonly states: number; readonly transitions: number }
  | { readonly walked: Walked };

type OnProgress = (states: number, transitions: number) => void;

/** The file of a thread: beside this one in the sources; a build puts it into the folder of its entry. */
const PATHS = ["./check-thread.ts", "./check/check-thread.mjs", "./check-thread.mjs"];

/** Makes a walk here, in this thread. */
export function walkHere({ ruled, extent, measuresRuns, until }: Task, onProgress?: OnProgress): Walked {
  const isOver = (): boolean => Date.now() > until;
  return walkRule(ruled, extent, { isOver, measuresRuns, ...(onProgress && { onProgress }) });
}

/** A thread for each processor, each of which makes one walk after the other. */
export class WalkThreads {
  readonly #count: number;
  readonly #file = PATHS.map((path) => new URL(path, import.meta.url)).find((url) => existsSync(url));
  readonly #idle: Worker[] = [];
  readonly #waiting: ((worker: Worker) => void)[] = [];
  readonly #all: Worker[] = [];

  constructor(count: number = availableParallelism()) {
    this.#count = count;
  }

  /** Starts another thread, unless there are enough. */
  #start(file: URL): Worker | undefined {
    if (this.#all.length >= this.#count) return undefined;
    const execArgv = file.pathname.endsWith(".ts") ? ["--conditions=agentchart-source"] : [];
    const worker = new Worker(file, { execArgv });
    this.#all.push(worker);
    return worker;
  }

  /** Makes a walk in a thread that is free, or here if there are no threads. Rejects if the thread fails. */
  async run(task: Task, onProgress?: OnProgress): Promise<Walked> {
    if (!this.#file) return walkHere(task, onProgress);
    const free = this.#idle.pop() ?? this.#start(this.#file);
    const worker = free ?? (await new Promise<Worker>((resolve) => this.#waiting.push(resolve)));
    try {
      return await new Promise<Walked>((resolve, reject) => {
        worker.removeAllListeners();
        worker.on("error", reject).on("message", (message: TaskMessage) => {
          if ("walked" in message) resolve(message.walked);
          else onProgress?.(message.states, message.transitions);
        });
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
        worker.postMessage(task);
      });
    } finally {
      const next = this.#waiting.shift();
      if (next) next(worker);
      else this.#idle.push(worker);
    }
  }

  /** Ends the threads, whatever they do. */
  async close(): Promise<void> {
    await Promise.all(this.#all.map((worker) => worker.terminate()));
  }
}
