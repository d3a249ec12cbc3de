import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Orders } from "./worker.ts";

/** Worker processes that are killed and replaced. */
export class Fleet {
  readonly #orders: Orders;
  readonly #workers: ChildProcess[] = [];
  readonly #ready = new WeakSet<ChildProcess>();
  /** What workers said that ended by themselves. */
  readonly accidents: string[] = [];
  kills = 0;

  constructor(orders: Orders, size: number) {
    this.#orders = orders;
    for (let count = 0; count < size; count++) this.#start();
  }

  /** SIGKILL for one of those that work; another takes its place. */
  killOne(): void {
    const working = this.#workers.filter((worker) => this.#ready.has(worker));
    if (working.length < 2) return; // on a busy machine the others are still starting
    const victim = working[Math.floor(Math.random() * working.length)]!;
    this.#workers.splice(this.#workers.indexOf(victim), 1);
    victim.kill("SIGKILL");
    this.kills++;
    this.#start();
  }

  get isReady(): boolean {
    return this.#workers.every((worker) => this.#ready.has(worker));
  }

  /** Tells all to drain. Gives their exit codes. */
  async drain(): Promise<readonly (number | null)[]> {
    return Promise.all(
      this.#workers.splice(0).map(async (worker) => {
        const exited = worker.exitCode === null ? once(worker, "exit") : Promise.resolve([worker.exitCode]);
        worker.kill("SIGTERM");
        return (await exited)[0] as number | null;
      }),
    );
  }

  destroy(): void {
    for (const worker of this.#workers.splice(0)) worker.kill("SIGKILL");
  }

  #start(): void {
    const file = join(import.meta.dirname, "worker.ts");
    const args = ["--conditions=agentchart-source", file, JSON.stringify(this.#orders)];
    const worker = spawn(process.execPath, args, { stdio: "pipe" });
    worker.stdout.once("data", () => this.#ready.add(worker));
    let errors = "";
    worker.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
    worker.once("exit", (code, signal) => {
      if (signal !== "SIGKILL" && code !== 0) this.accidents.push(`exit ${code} ${signal}: ${errors}`);
    });
    this.#workers.push(worker);
  }
}
