// A Postgres and a Restate server on 127.0.0.1, each with a folder of its own that is removed at the end.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

export function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  return new Promise((resolve) => {
    server.once("listening", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** The parent of a process, its own CPU, and that of its children that have ended, ms; undefined if there is none. */
function statOf(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1).split(" ");
    const [, parent] = fields;
    const ticks = fields.slice(11, 15).map(Number); // of 10 ms each
    return { parent: Number(parent), ms: ticks.reduce((sum, each) => sum + each) * 10 };
  } catch {
    return undefined;
  }
}

/** CPU of a process and its children, ms. */
export function cpuOf(pid) {
  const children = readdirSync("/proc").filter((each) => /^\d+$/u.test(each) && statOf(each)?.parent === pid);
  return [pid, ...children].reduce((sum, each) => sum + (statOf(each)?.ms ?? 0), 0);
}

async function until(isTrue, what) {
  for (let tries = 0; !(await isTrue().catch(() => false)); tries++) {
    if (tries > 400) throw new Error(`${what} does not start.`);
    await sleep(50);
  }
}

function postgresFolder() {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : [];
  const folders = [process.env.PG_BIN, ...versions.map((version) => join(debian, version, "bin"))];
  const found = folders.find((folder) => folder && existsSync(join(folder, "initdb")));
  if (!found) throw new Error("No Postgres: install one, or name its folder of programs in PG_BIN.");
  return found;
}

/** Ends a server, and removes its folder. */
const stopper = (server, dir, signal) => {
  const kill = () => server.kill("SIGKILL");
  process.once("exit", kill);
  return async () => {
    process.off("exit", kill);
    const ended = once(server, "exit");
    server.kill(signal);
    await ended;
    rmSync(dir, { recursive: true, force: true });
  };
};

export async function startPostgres({ fsync }) {
  const bin = postgresFolder();
  const idOf = (flag) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  const user = process.getuid() === 0 ? { uid: idOf("-u"), gid: idOf("-g") } : {};
  const dir = mkdtempSync(join(tmpdir(), "agentchart-fleet-pg-"));
  if (user.uid !== undefined) chownSync(dir, user.uid, user.gid);
  const data = join(dir, "data");
  const how = ["-A", "trust", "-U", "postgres", "--no-sync", "--no-locale", "-E", "UTF8", "-D", data];
  execFileSync(join(bin, "initdb"), how, { ...user, cwd: dir, stdio: "ignore" });
  const port = await freePort();
  const settings = [
    `fsync=${fsync ? "on" : "off"}`,
    "listen_addresses=127.0.0.1",
    `unix_socket_directories=${dir}`,
    "max_connections=200",
    "shared_preload_libraries=pg_stat_statements",
    "pg_stat_statements.track_planning=on",
  ];
  const words = ["-D", data, "-p", String(port), ...settings.flatMap((each) => ["-c", each])];
  const server = spawn(join(bin, "postgres"), words, { ...user, cwd: dir, stdio: "ignore" });
  const stop = stopper(server, dir, "SIGINT");
  const urlOf = (name) => `postgres://postgres@127.0.0.1:${port}/${name}`;
  await until(async () => {
    const client = new pg.Client(urlOf("postgres"));
    client.on("error", () => {});
    await client.connect();
    await client.end();
    return true;
  }, "Postgres");
  return { pid: server.pid, urlOf, stop };
}

export async function startRestate({ fsync }) {
  const require = createRequire(import.meta.url);
  const name = `@restatedev/restate-server-${process.platform}-${process.arch}`;
  const bin = join(dirname(require.resolve(`${name}/package.json`)), "bin", "restate-server");
  const dir = mkdtempSync(join(tmpdir(), "agentchart-fleet-restate-"));
  const [admin, ingress, node] = [await freePort(), await freePort(), await freePort()];
  const config = join(dir, "config.toml");
  writeFileSync(
    config,
    `disable-telemetry = true
log-filter = "error"
rocksdb-total-memory-size = "512.0 MiB"
default-num-partitions = 4
bind-ip = "127.0.0.1"
bind-port = ${node}
advertised-address = "http://127.0.0.1:${node}"
listen-mode = "tcp"
base-dir = "${join(dir, "data")}"
[admin]
bind-address = "127.0.0.1:${admin}"
[ingress]
bind-address = "127.0.0.1:${ingress}"
[worker.invoker]
http2-streams-per-connection-limit = 10
[bifrost.local]
rocksdb-disable-wal-fsync = ${!fsync}
[log-server]
rocksdb-disable-wal-fsync = ${!fsync}
`,
  );
  const server = spawn(bin, ["--config-file", config], { cwd: dir, stdio: "ignore" });
  const stop = stopper(server, dir, "SIGKILL");
  const urls = { admin: `http://127.0.0.1:${admin}`, ingress: `http://127.0.0.1:${ingress}` };
  const isUp = async (url) => (await fetch(url)).ok;
  await until(() => isUp(`${urls.admin}/health`), "Restate");
  await until(() => isUp(`${urls.ingress}/restate/health`), "Restate");
  return { pid: server.pid, stop, ...urls };
}
