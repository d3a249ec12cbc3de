import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { freePort } from "./free-port.ts";

/** A Redis to test against. */
export type TestRedis = { readonly url: string; readonly stop: () => Promise<void> };

/** Why there is none, for the title of what is skipped. */
export const NO_REDIS = "no Redis: set REDIS_URL, or install redis-server";

function isInstalled(): boolean {
  try {
    execFileSync("redis-server", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** A server on a free port; undefined if another process has taken that port meanwhile. */
async function startServer(dir: string): Promise<(TestRedis & { readonly kill: () => void }) | undefined> {
  const port = String(await freePort());
  const settings = ["--port", port, "--bind", "127.0.0.1", "--dir", dir, "--save", "", "--appendonly", "no"];
  const server = spawn("redis-server", settings, { stdio: "ignore" });
  const ended = once(server, "exit");
  const kill = () => void server.kill("SIGKILL");
  const url = `redis://127.0.0.1:${port}`;
  const client = new Redis(url, { maxRetriesPerRequest: null, retryStrategy: () => 20 });
  client.on("error", () => {}); // until it is up
  const folder = await Promise.race([client.config("GET", "dir"), ended.then(() => undefined)]);
  client.disconnect();
  if ((folder as string[] | undefined)?.[1] === dir)
    return { url, kill, stop: async () => void (kill(), await ended) };
  kill();
  return undefined;
}

/** Redis from `REDIS_URL`, else a private server on a free port of 127.0.0.1 that dies with this process. Undefined: none of
 *  them is here, see {@link NO_REDIS}. */
export async function startRedis(): Promise<TestRedis | undefined> {
  const given = process.env["REDIS_URL"];
  if (given) return { url: given, stop: async () => {} };
  if (!isInstalled()) return undefined;
  const dir = mkdtempSync(join(tmpdir(), "agentchart-redis-"));
  const server = (await startServer(dir)) ?? (await startServer(dir));
  if (!server) throw new Error("redis-server does not start.");
  const { url, kill, stop } = server;
  process.once("exit", kill);
  return {
    url,
    stop: async () => {
      process.off("exit", kill);
      await stop();
      rmSync(dir, { recursive: true });
    },
  };
}
