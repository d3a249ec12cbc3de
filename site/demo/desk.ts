import { AgentError } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import type { SessionStore } from "agentchart/session";
import type { Asked, FromWorker, ToWorker } from "./messages.ts";

/** What the page hears: what the worker says, and that the ledger has paid. */
type Heard = Exclude<FromWorker, Asked> | { readonly type: "paid" };

/** The refunds desk of the page: a store and a ledger that last, and a worker with the agent, which may be killed. */
export class Desk {
  readonly #store = memoryStore();
  readonly #sessionId = crypto.randomUUID();
  readonly #paid = new Map<string, number>();
  readonly #hear: (message: Heard) => void;
  #worker: Worker | undefined;
  /** How often the ledger was asked to pay. */
  asked = 0;
  /** How many workers there were. */
  workers = 0;

  constructor(hear: (message: Heard) => void) {
    this.#hear = hear;
  }

  /** What has left the till, in cents. */
  get paid(): number {
    return [...this.#paid.values()].reduce((sum, cents) => sum + cents, 0);
  }

  /** Starts a worker, which opens the session: it waits for the lease of one that was killed. */
  start(): void {
    this.kill();
    const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    worker.addEventListener("message", ({ data }: MessageEvent<FromWorker>) => {
      if (worker !== this.#worker) return;
      if (data.type === "ask") void this.#answer(worker, data);
      else this.#hear(data);
    });
    worker.addEventListener("error", ({ message }) => this.#hear({ type: "failed", message }));
    this.#worker = worker;
    this.workers++;
    this.send({ type: "open", sessionId: this.#sessionId });
  }

  send(message: ToWorker): void {
    this.#worker?.postMessage(message);
  }

  /** Ends the worker at this instant: nothing of it says goodbye. */
  kill(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
  }

  async #answer(worker: Worker, { id, method, args }: Asked): Promise<void> {
    const answer = (message: ToWorker): void => {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin
      worker.postMessage(message);
    };
    try {
      answer({ type: "answer", id, value: await this.#run(method, args) });
    } catch (error) {
      const { code, message } = AgentError.is(error)
        ? error
        : { code: "store/failed", message: String(error) };
      answer({ type: "answer", id, error: { code, message } });
    }
  }

  async #run(method: string, args: readonly unknown[]): Promise<unknown> {
    if (method === "pay") return this.#pay(args[0] as string, args[1] as number);
    if (method === "read")
      return Array.fromAsync(this.#store.read(...(args as Parameters<SessionStore["read"]>)));
    const run = this.#store[method as "load"] as (...given: readonly unknown[]) => unknown;
    return run(...args);
  }

  /** Pays once for each key, as a provider of payments does. */
  #pay(key: string, cents: number): void {
    this.asked++;
    this.#paid.set(key, cents);
    this.#hear({ type: "paid" });
  }
}
