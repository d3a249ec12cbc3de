import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** A running database. */
export type DeskPostgres = { readonly connectionString: string; close(): Promise<void> };

/** Starts Postgres on the files of a folder, in its own process. Rejects if it cannot, such as if it does not exist for this machine. */
export async function startPostgres(folder: string, password: string): Promise<DeskPostgres> {
  const child = fork(join(import.meta.dirname, "postgres-process.ts"), {
    detached: true,
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  child.send({ folder, password });
  let complaint = "";
  child.stderr!.setEncoding("utf8").on("data", (text: string) => (complaint += text));
  const exited = once(child, "exit");
  const failed = exited.then(() => {
    throw new Error(`Postgres did not start. ${/FATAL.*|Error: .*/.exec(complaint)?.[0] ?? ""}`);
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
