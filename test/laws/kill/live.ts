import { spawn } from "node:child_process";
import type { Lease } from "../../../src/store/port.ts";
import type { StoreSpec } from "../../support/open-store.ts";
import type { DieAt } from "./dying-store.ts";

/** The options of one process of a session. */
export type Orders = {
  readonly store: StoreSpec;
  readonly sessionId: string;
  /** A file in which the tools note their runs. */
  readonly ledger: string;
  /** None: it lives. */
  readonly dieAt?: DieAt;
};

/** How a process ended: what it printed behind "DONE", if it came so far. */
export type Life = {
  readonly done?: string;
  readonly appends: number;
  readonly wasKilled: boolean;
  /** The lease that it held, if it came so far and its store is a dying one. */
  readonly lease?: Lease;
  readonly errors: string;
};

/** One life of a session in a process that runs the file `worker`: until it is done, dies by its orders, or is killed after `killAfterMs`. */
export function live(worker: string, orders: Orders, killAfterMs?: number): Promise<Life> {
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
      const [, lease] = /^LEASE (\{.*\})$/m.exec(out) ?? [];
      resolve({
        ...(done !== undefined && { done }),
        ...(lease !== undefined && { lease: JSON.parse(lease) as Lease }),
        appends: Number(appends ?? 0),
        wasKilled: signal === "SIGKILL",
        errors,
      });
    });
  });
}

/** Does `work` for each item, two at a time. */
export async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const lane = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all([lane(), lane()]);
}
