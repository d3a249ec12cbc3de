import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Server } from "./rooms.ts";
import type { SIZES } from "./task.ts";

/** Starts a server of the task in a process of its own, so that its CPU is not counted. */
export async function loopback(
  size: keyof typeof SIZES,
  rounds: number,
): Promise<{ readonly server: Server; readonly close: () => Promise<void> }> {
  const child = fork(join(import.meta.dirname, "loopback-server.ts"), [size, String(rounds)]);
  const baseURL = await new Promise<string>((resolve, reject) => {
    child.once("message", (url) => resolve(url as string));
    child.once("exit", (code) => reject(new Error(`The loopback server ended with ${code}.`)));
  });
  const close = async (): Promise<void> => {
    const exited = once(child, "exit");
    child.disconnect();
    await exited;
  };
  return { server: { baseURL }, close };
}
