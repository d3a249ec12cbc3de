import { spawn } from "node:child_process";
import type { Lease } from "../../../src/store/port.ts";
import { openStore, type StoreSpec } from "../../support/open-store.ts";
import type { DieAt } from "./dying-store.ts";

/** The options of one process of a session. */
export type Orders = {
  readonly store: StoreSpec;
  readonly sessionId: string;
  /** A file in which the tools note their runs. */
  readonly ledger: string;
  /** None: it lives. */
  readonly dieAt?: DieAt;
  /** The session is driven by a worker in the process, and people use its dispatcher. */
  readonly hasWorker?: boolean;
};

/** How a process ended: what it printed behind "DONE", if it came so far. */
export type Life = {
  readonly done?: string;
  readonly appends: number;
  readonly wasKilled: boolean;
  readonly errors: string;
};

/** Ends the leases that a dead process held, so that they need not expire. */
async function release({ store: spec }: Orders, out: string): Promise<void> {
  const leases = [...out.matchAll(/^LEASE (\{.*\})$/gm)].map(([, lease]) => JSON.parse(lease!) as Lease);
  const store = await openStore(spec);
  for (const lease of new Map(leases.map((lease) => [lease.sessionId, lease])).values())
    await store.release(lease);
  await store.close();
}

/** One life of a session in a process that runs the file `worker`: until it is done, dies by its orders, or is killed after
 *  `killAfterMs`. The leases that a dying store has printed end with it. */
export async function live(worker: string, orders: Orders, killAfterMs?: number): Promise<Life> {
  const { out, ...life } = await run(worker, orders, killAfterMs);
  if (life.wasKilled) await release(orders, out);
  return life;
}

function run(worker: string, orders: Orders, killAfterMs?: number): Promise<Life & { readonly out: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [
      "--conditions=agentchart-source",
      "--disable-warning=ExperimentalWarning",
      worker,
      JSON.stringify(orders),
    ]);
    let out = "";
    let errors = "";
    child.stdout.on("data", (data: Buffer) => (out += data.toString()));
    child.stderr.on("data", (data: Buffer) => (errors += data.toString()));
    const timer =
      killAfterMs === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfterMs);
    child.on("close", (_code, signal) => {
      clearTimeout(timer);
      const [, appends, done] = /^DONE (\d+) (.*)$/m.exec(out) ?? [];
      resolve({
        ...(done !== undefined && { done }),
        appends: Number(appends ?? 0),
        wasKilled: signal === "SIGKILL",
        errors,
        out,
      });
    });
  });
}

/** True if there is time for everything. */
export const isSoak = process.env["SOAK"] === "1";

/** The points before and after each of `appends` appends at which a process may die: at most about `most` of them, the same in each
 *  run and as many before as after; all of them with SOAK=1. */
export function deathsAt(appends: number, most: number): readonly DieAt[] {
  const deaths = Array.from({ length: appends }, (_, index) => index + 1).flatMap((append): DieAt[] => [
    { append, when: "before" },
    { append, when: "after" },
  ]);
  // an odd step alternates between before and after
  const step = isSoak ? 1 : Math.ceil(deaths.length / most) | 1;
  return deaths.filter((_, index) => index % step === 0);
}

/** Does `work` for each item, two at a time. */
export async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const lane = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all([lane(), lane()]);
}
