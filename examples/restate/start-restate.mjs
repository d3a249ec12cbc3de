/** Starts a Restate server of the package @restatedev/restate-server on free ports of this machine, in a folder of its own. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  return port;
}

const isUp = (url) =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );

export async function startRestate() {
  const binaries = `@restatedev/restate-server-${process.platform}-${process.arch}/package.json`;
  const program = join(dirname(createRequire(import.meta.url).resolve(binaries)), "bin", "restate-server");
  const folder = mkdtempSync(join(tmpdir(), "agentchart-restate-"));
  const [node, admin, ingress] = [await freePort(), await freePort(), await freePort()];
  writeFileSync(
    join(folder, "config.toml"),
    `disable-telemetry = true
log-filter = "error"
rocksdb-total-memory-size = "256.0 MiB"
default-num-partitions = 1
bind-ip = "127.0.0.1"
bind-port = ${node}
advertised-address = "http://127.0.0.1:${node}"
listen-mode = "tcp"
base-dir = "${join(folder, "data")}"
[admin]
bind-address = "127.0.0.1:${admin}"
[ingress]
bind-address = "127.0.0.1:${ingress}"
`,
  );
  const server = spawn(program, ["--config-file", join(folder, "config.toml")], { stdio: "ignore" });
  const ended = once(server, "exit");
  const urls = { admin: `http://127.0.0.1:${admin}`, ingress: `http://127.0.0.1:${ingress}` };
  while (!(await isUp(`${urls.admin}/health`)) || !(await isUp(`${urls.ingress}/restate/health`))) {
    if (server.exitCode !== null) throw new Error(`Restate has ended with ${server.exitCode}.`);
    await sleep(50);
  }
  return {
    ...urls,
    async stop() {
      server.kill("SIGKILL");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
