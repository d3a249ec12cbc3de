import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { delayOf } from "../../core/base/time.ts";
import type { SessionStore } from "../../store/port.ts";
import { notesOf, readNotes, type LifeNote } from "./ledger.ts";
import { FOLDER_VARIABLE, ORDERS_VARIABLE, type Orders } from "./orders.ts";

/** The file of a process: beside this one in the sources; a build puts it into the folder of its entry. */
const PATHS = ["./child.ts", "./testing/crash-child.mjs", "./crash-child.mjs", "../testing/crash-child.mjs"];
const CHILD = PATHS.map((path) => new URL(path, import.meta.url)).find((url) => existsSync(url));
const POLL_MS = 10;
const MAX_STDERR = 4_000;

/** The end of a process. `endless`: it was killed because its time was over. */
export type Ended = {
  readonly how: "exit" | "killed" | "endless";
  /** The end of what it wrote to stderr. */
  readonly errors: string;
};

/** One process of a run. */
export class Life {
  readonly orders: Orders;
  readonly #child: ChildProcess;
  readonly ended: Promise<Ended>;
  #hasEnded = false;

  constructor(orders: Orders, limitMs: number, signal?: AbortSignal) {
    this.orders = orders;
    const isSource = CHILD?.pathname.endsWith(".ts");
    const flags = isSource ? ["--conditions=agentchart-source"] : [];
    this.#child = spawn(
      process.execPath,
      [...flags, "--disable-warning=ExperimentalWarning", fileURLToPath(CHILD!)],
      {
        stdio: ["pipe", "ignore", "pipe"],
        // Each process loads the same modules.
        env: {
          NODE_COMPILE_CACHE: join(dirname(orders.folder), "compiled"),
          ...process.env,
          [FOLDER_VARIABLE]: orders.folder,
          [ORDERS_VARIABLE]: JSON.stringify(orders),
        },
      },
    );
    const child = this.#child;
    let errors = "";
    let isLate = false;
    child.stderr!.on("data", (data: Buffer) => (errors = (errors + data.toString()).slice(-MAX_STDERR)));
    child.stdin!.on("error", () => {});
    const timer = setTimeout(() => {
      isLate = true;
      child.kill("SIGKILL");
    }, delayOf(limitMs));
    const stop = (): void => void child.kill("SIGKILL");
    if (signal?.aborted) stop(); // the process before this one was killed by it
    signal?.addEventListener("abort", stop, { once: true });
    this.ended = new Promise((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (_code, ended) => {
        this.#hasEnded = true;
        clearTimeout(timer);
        signal?.removeEventListener("abort", stop);
        resolve({ how: isLate ? "endless" : ended === "SIGKILL" ? "killed" : "exit", errors });
      });
    });
  }

  /** The notes of this process. */
  notes(): readonly LifeNote[] {
    return readNotes(this.orders.ledger).filter(({ life }) => life === this.orders.life);
  }

  /** Resolves with true once the process has made such a note, and with false if it ends without. */
  async noted(is: (note: LifeNote) => boolean): Promise<boolean> {
    for (;;) {
      const hasEnded = this.#hasEnded;
      if (this.notes().some(is)) return true;
      if (hasEnded) return false;
      await sleep(POLL_MS);
    }
  }

  continue(): void {
    this.#child.kill("SIGCONT");
  }

  /** Kills the process, if it has not ended. */
  kill(): void {
    if (!this.#hasEnded) this.#child.kill("SIGKILL");
  }
}

/** Ends the leases of a process that is dead or stopped, so that nobody has to wait until they expire. */
export async function releaseLeases(store: SessionStore, life: Life): Promise<void> {
  const leases = notesOf(life.notes(), "lease").map(({ lease }) => lease);
  for (const lease of new Map(leases.map((each) => [each.sessionId, each])).values())
    await store.release(lease);
}
