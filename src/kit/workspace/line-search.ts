import { Worker } from "node:worker_threads";
import { AgentError, messageOf } from "../../core/base/error.ts";

/** Lines that the thread has found, and how long it has worked for them, ms. */
type Answer = { readonly found: readonly FoundLine[]; readonly ms: number };

/** A line that was found; with the lines around it. */
export type FoundLine = { readonly line: number; readonly text: string; readonly isMatch: boolean };

const MEMORY_MB = 128;
/** The longest text that is searched, in characters. Node ends the whole process if the lines of a much longer one need too much memory. */
export const MAX_SEARCHED = 2 * 1024 * 1024;

/** The thread: it has no more than the pattern and the texts, and is ended from outside if the pattern takes too long. */
const THREAD = `
const { parentPort, workerData } = require("node:worker_threads");
const pattern = new RegExp(workerData.pattern, workerData.flags);
parentPort.on("message", ({ text, context, max }) => {
  const began = performance.now();
  const lines = text.split(/\\r?\\n/u);
  if (lines.at(-1) === "") lines.pop();
  const found = [];
  let matches = 0, shown = -1;
  for (let at = 0; at < lines.length && matches < max; at++) {
    if (!pattern.test(lines[at].slice(0, 20000))) continue;
    matches++;
    for (let each = Math.max(shown + 1, at - context); each <= Math.min(lines.length - 1, at + context); each++) {
      found.push({ line: each + 1, text: lines[each].slice(0, 500), isMatch: each === at || pattern.test(lines[each].slice(0, 20000)) });
      shown = each;
    }
  }
  parentPort.postMessage({ found, ms: performance.now() - began });
});
`;

/** The flags with which a pattern can be used: some have escapes that only the older syntax knows. */
function flagsFor(pattern: string, flags: string): string {
  try {
    return new RegExp(pattern, `${flags}u`).flags;
  } catch {
    try {
      return new RegExp(pattern, flags).flags;
    } catch (error) {
      throw new AgentError(
        "workspace/failed",
        `The pattern is not a regular expression: ${messageOf(error)}.`,
      );
    }
  }
}

/**
 * Searches texts for a regular expression in a thread, which ends when the pattern has taken `limitMs` in all. A pattern of the model may
 * take for ever. What a busy machine takes to start the thread and to pass texts does not count. Throws what is wrong with an invalid pattern.
 */
export class LineSearch {
  readonly #worker: Worker;
  readonly #started: Promise<unknown>;
  #left: number;
  readonly #limitMs: number;
  #fault: unknown = "its thread has ended";

  constructor(
    pattern: string,
    { ignoreCase, limitMs }: { readonly ignoreCase: boolean; readonly limitMs: number },
  ) {
    const flags = flagsFor(pattern, ignoreCase ? "i" : "");
    this.#limitMs = limitMs;
    this.#left = limitMs;
    this.#worker = new Worker(THREAD, {
      eval: true,
      workerData: { pattern, flags },
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    });
    this.#worker.unref();
    this.#worker.on("error", (error) => (this.#fault = error));
    this.#started = new Promise((resolve) => this.#worker.once("online", resolve).once("exit", resolve));
  }

  /** Resolves with the lines that match, at most `max` matches, with `context` lines before and after each. */
  async search(text: string, context: number, max: number): Promise<readonly FoundLine[]> {
    if (text.length > MAX_SEARCHED) {
      const said = `The text has ${text.length} characters; at most ${MAX_SEARCHED} are searched.`;
      throw new AgentError("workspace/failed", said);
    }
    const worker = this.#worker;
    return new Promise<readonly FoundLine[]>((resolve, reject) => {
      const ended = (): void => fail(`The search has failed: ${messageOf(this.#fault)}.`);
      const fail = (message: string): void => {
        done();
        reject(new AgentError("workspace/failed", message));
      };
      const late = (): void => fail(`The pattern takes longer than ${this.#limitMs} ms; use a simpler one.`);
      let [isDone, timer]: [boolean, NodeJS.Timeout?] = [false];
      void this.#started.then(() => {
        // an answer that has arrived while this process did something else comes first
        timer = setTimeout(() => setImmediate(() => isDone || late()), Math.max(1, this.#left));
        if (isDone) clearTimeout(timer);
      });
      const answered = ({ found, ms }: Answer): void => {
        done();
        this.#left -= ms;
        resolve(found);
      };
      const done = (): void => {
        isDone = true;
        clearTimeout(timer);
        worker.off("message", answered);
        worker.off("exit", ended);
        worker.unref();
      };
      worker.ref();
      worker.once("message", answered);
      worker.once("exit", ended);
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between threads has no origin
      worker.postMessage({ text, context, max });
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}
