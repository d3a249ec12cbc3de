import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { StoreSpec } from "../support/open-store.ts";
import type { Order } from "./rival.ts";

type Untimed<T> = T extends unknown ? Omit<T, "at"> : never;

/** A child process with a store of its own. */
export type Rival = {
  readonly process: ChildProcess;
  /** What it answers to an order. */
  ask(order: Order): Promise<unknown>;
};

const PROGRAM = fileURLToPath(new URL("rival.ts", import.meta.url));
const HEAD_START_MS = 3;

export async function startRival(spec: StoreSpec, name: string): Promise<Rival> {
  const child = fork(PROGRAM, [JSON.stringify(spec), name], {
    execArgv: ["--conditions=agentchart-source"],
  });
  const answer = async () => {
    const [message] = (await once(child, "message")) as [{ answer: unknown }];
    return message.answer;
  };
  await answer();
  return {
    process: child,
    ask: (order) => {
      const answered = answer();
      child.send(order);
      return answered;
    },
  };
}

/** Gives all the same order, to be carried out at the same instant. */
export function askAll(rivals: readonly Rival[], order: Untimed<Order>): Promise<unknown[]> {
  const at = Date.now() + HEAD_START_MS;
  return Promise.all(rivals.map((rival) => rival.ask({ ...order, at } as Order)));
}
