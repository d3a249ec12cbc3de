import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { WorkerOrders, WorkerSays } from "./worker-process.ts";

export type Heard = WorkerSays & { readonly pid: number };

/** Worker processes, and all they said. */
export class Crew {
  readonly heard: Heard[] = [];
  readonly #workers: ChildProcess[] = [];
  #wake = (): void => {};

  static async of(count: number, orders: WorkerOrders): Promise<Crew> {
    const crew = new Crew();
    for (let index = 0; index < count; index++) crew.#start(orders);
    await crew.until(() => crew.count("ready") === count);
    return crew;
  }

  count(type: WorkerSays["type"]): number {
    return this.heard.filter((line) => line.type === type).length;
  }

  ofType<T extends WorkerSays["type"]>(type: T): Extract<Heard, { readonly type: T }>[] {
    return this.heard.filter((line) => line.type === type) as never;
  }

  /** Waits until what was said makes `isTrue` true. */
  async until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  kill(pid: number): void {
    this.#workers.find((worker) => worker.pid === pid)?.kill("SIGKILL");
  }

  /** Lets them drain. */
  async end(): Promise<void> {
    await Promise.all(
      this.#workers.map(async (worker) => {
        if (worker.exitCode !== null || worker.signalCode !== null) return;
        const ended = once(worker, "exit");
        worker.kill("SIGTERM");
        const late = setTimeout(() => worker.kill("SIGKILL"), 5_000);
        await ended;
        clearTimeout(late);
      }),
    );
  }

  #start(orders: WorkerOrders): void {
    const file = join(import.meta.dirname, "worker-process.ts");
    const args = ["--conditions=agentchart-source", file, JSON.stringify(orders)];
    const worker = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
    this.#workers.push(worker);
    createInterface(worker.stdout).on("line", (line) => {
      this.heard.push({ ...(JSON.parse(line) as WorkerSays), pid: worker.pid! });
      this.#wake();
    });
  }
}
