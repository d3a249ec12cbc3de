import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** A running database. */
export type DeskPostgres = { readonly connectionString: string; close(): Promise<void> };

/** Starts Postgres in its own process. Rejects if Postgres is not available for this machine. */
export async function startPostgres(): Promise<DeskPostgres> {
  const child = fork(join(import.meta.dirname, "postgres-process.ts"), {
    detached: true,
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  let complaint = "";
  child.stderr!.setEncoding("utf8").on("data", (text: string) => (complaint += text));
  const exited = once(child, "exit");
  const failed = exited.then(() => {
    throw new Error(`Postgres did not start. ${complaint.trim().split("\n").at(-1) ?? ""}`);
  });
  failed.catch(() => {}); // heard of by the race only
  const [message] = await Promise.race([once(child, "message"), failed]);
  const { connectionString } = message as { readonly connectionString: string };
  return {
    connectionString,
    async close() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}
