import { existsSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { messageOf } from "../base/error.ts";

/** A value to be checked, and the JSON Schema, both as JSON text. */
export type Job = { readonly schema: string; readonly value: string };

/** The outcome of a check: with `problems` if the value is refused, with `changed`, JSON text, if nulls were taken out of it. */
export type Checked = { readonly problems?: string; readonly changed?: string };

type Waiting = Job & { readonly limitMs: number; readonly end: (checked: Checked) => void };

/** The file of the thread, relative to this one: beside it in the sources; a build puts this file into the main folder or a subfolder. */
const PATHS = [
  "./check-thread-main.ts",
  "./tool/check-thread.mjs",
  "./check-thread.mjs",
  "./check-thread.mjs",
];
const START_MS = 30_000;
/** The time for which an idle thread is retained, ms. */
const IDLE_MS = 10_000;
const MEMORY_MB = 128;

/** Returns the file of the thread; undefined where a bundler has left it out. */
export const threadFile = (): URL | undefined =>
  PATHS.map((path) => new URL(path, import.meta.url)).find((url) => existsSync(url));

/**
 * A thread that checks values against schemas of others, one at a time. A check that takes too long ends with the thread, and the next
 * one starts another. The thread is started by the first check, ends after 10 s without one, and keeps the process alive only while
 * it checks.
 */
export class CheckThread {
  #worker: Worker | undefined;
  #isReady = false;
  #running: Waiting | undefined;
  /** Jobs, and those whose schema was too slow before: they wait for the others. */
  readonly #waiting: Waiting[] = [];
  readonly #late: Waiting[] = [];
  readonly #slow = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  readonly #file: URL;

  constructor(file: URL) {
    this.#file = file;
  }

  /** Checks a value. Resolves with a problem if that takes longer than `limitMs`. */
  check(job: Job, limitMs: number): Promise<Checked> {
    return new Promise((end) => {
      (this.#slow.has(job.schema) ? this.#late : this.#waiting).push({ ...job, limitMs, end });
      this.#next();
    });
  }

  #next(): void {
    if (this.#running) return;
    const job = this.#waiting.shift() ?? this.#late.shift();
    if (!job) return this.#rest();
    this.#running = job;
    try {
      this.#worker ??= this.#start();
    } catch (error) {
      return this.#end({ problems: `it cannot be checked: ${messageOf(error)}` }); // a process may have no threads
    }
    this.#worker.ref();
    if (this.#isReady) this.#send(job);
    else this.#limit(START_MS, () => this.#stop("the thread that checks it does not start"));
  }

  #send(job: Waiting): void {
    const { schema, value, limitMs } = job;
    this.#limit(limitMs, () => {
      this.#slow.add(schema);
      this.#stop(`the check takes longer than ${limitMs} ms`);
    });
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between threads has no origin
    this.#worker!.postMessage({ schema, value } satisfies Job);
  }

  #limit(ms: number, then: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(then, ms);
  }

  #start(): Worker {
    this.#isReady = false;
    const worker = new Worker(this.#file, {
      execArgv: [],
      env: {},
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    });
    worker.on("message", (message: Checked | "ready") => {
      if (worker !== this.#worker) return;
      if (message !== "ready") return this.#end(message);
      this.#isReady = true;
      if (this.#running) this.#send(this.#running);
    });
    const lost = (reason: string): void => {
      if (worker === this.#worker) this.#stop(reason);
    };
    worker.on("error", (error: unknown) => {
      const isOutOfMemory = (error as { readonly code?: unknown }).code === "ERR_WORKER_OUT_OF_MEMORY";
      lost(isOutOfMemory ? "the check needs too much memory" : messageOf(error));
    });
    worker.on("exit", () => lost("the thread that checks it has ended"));
    return worker;
  }

  /** Ends the thread, and the check that it runs. */
  #stop(reason: string): void {
    const worker = this.#worker;
    this.#worker = undefined;
    void worker?.terminate();
    this.#end({ problems: `it cannot be checked: ${reason}` });
  }

  #end(checked: Checked): void {
    clearTimeout(this.#timer);
    const job = this.#running;
    this.#running = undefined;
    job?.end(checked);
    this.#next();
  }

  #rest(): void {
    this.#worker?.unref();
    this.#limit(IDLE_MS, () => {
      const worker = this.#worker;
      this.#worker = undefined;
      void worker?.terminate();
    });
    this.#timer?.unref();
  }
}
