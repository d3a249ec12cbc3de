// Hostile servers leave their client bounded.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createAgent, defineTool, type ChatModel, type JsonObject, type Tool } from "agentchart";
import { mcp, type McpOptions, type McpServer } from "agentchart/mcp";
import { scriptedModel } from "agentchart/testing";
import { watchMainThread } from "../../support/main-thread.ts";

const program = join(import.meta.dirname, "generated-server.mjs");
const isSoak = process.env["SOAK"] === "1";
/** A seeded share of the servers by default, and all of them with SOAK=1. */
const SEEDS = Array.from({ length: 300 }, (_, index) => index + 1).filter(
  (seed) => isSoak || seed % 10 === 0,
);

/** Work without a bound takes seconds. The longest of these servers takes 100 ms of CPU time on a slow machine. */
const MAX_LAG_MS = 300;
const INIT_MS = 2_000;
const CALL_MS = 2_000;
/** Beyond the limits above, for a loaded machine: a hung server would never end. */
const SLACK_MS = 20_000;
const MAX_RSS_BYTES = 900_000_000;

const ARGUMENTS: readonly JsonObject[] = [
  { a: `${"a".repeat(40)}!` },
  { a: null },
  { a: Array.from({ length: 5_000 }, (_, i) => ({ i })) },
  { ["a".repeat(40)]: 1 },
];

/** The options that reach the server of a seed; half of them are over HTTP. */
async function reach(seed: number): Promise<McpOptions> {
  if ((seed % 20 >= 10 && seed % 2 === 0) || seed % 2 === 1)
    return { command: process.execPath, args: [program, String(seed), "stdio"], stderr: () => {} };
  const child = spawn(process.execPath, [program, String(seed), "http"], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [port] = (await once(child.stdout, "data")) as [Buffer];
  return { url: `http://127.0.0.1:${Number(port.toString())}/mcp` };
}

/** A model that makes one call. A scripted model would count the tokens of a large result, which takes its own time. */
function callsOnce(name: string, input: JsonObject): ChatModel {
  let asked = 0;
  return {
    name: "once",
    async *stream() {
      if (asked++ > 0) yield { type: "text.delta", delta: "done" };
      else yield { type: "tool.delta", key: 0, id: "c", name, args: JSON.stringify(input) };
      yield { type: "finish", reason: asked > 1 ? "stop" : "tool_calls" };
    },
  };
}

/** The tools of a server; none if it has several of one name, which is refused. */
function toolsOf(server: McpServer): Tool[] {
  try {
    return server.tools();
  } catch (error) {
    expect(error).toMatchObject({ code: "tool/duplicate" });
    return [];
  }
}

const unhandled: unknown[] = [];
const note = (error: unknown): void => void unhandled.push(error);

describe("a hostile server in a process of its own", () => {
  beforeAll(async () => {
    process.on("unhandledRejection", note);
    await mcp({ command: process.execPath, args: ["-e", ""], optional: true }); // loads the client, and then the agent
    const plain = scriptedModel([{ calls: [{ name: "t", input: {} }] }, "done"]);
    const tool = defineTool({ name: "t", description: "", input: { type: "object" }, execute: () => "ok" });
    await createAgent({ name: "a", model: plain, tools: [tool] }).call("go");
  });
  afterAll(() => void process.off("unhandledRejection", note));

  test.each(SEEDS)(
    "leaves the main thread, the memory and the time of its client bounded: seed %i",
    // the same work takes up to twice the CPU time while others have the machine
    { retry: 2 },
    async (seed) => {
      const options = await reach(seed);
      const watch = watchMainThread();
      onTestFinished(watch.stop);
      let rss = 0;
      const memory = setInterval(() => (rss = Math.max(rss, process.memoryUsage.rss())), 20);
      onTestFinished(() => clearInterval(memory));
      let at = performance.now();
      const since = (): number => {
        const before = at;
        at = performance.now();
        return at - before;
      };

      const limits = { name: "evil", optional: true, initTimeoutMs: INIT_MS, timeoutMs: CALL_MS } as const;
      const server = await mcp({ ...limits, ...options });
      expect(since()).toBeLessThan(INIT_MS + SLACK_MS);
      const tools = toolsOf(server);
      expect(tools.length).toBeLessThanOrEqual(1_000);
      for (const [index, { name }] of tools.slice(0, 2).entries()) {
        const input = ARGUMENTS[(seed + index) % ARGUMENTS.length]!;
        const agent = createAgent({ name: "a", model: callsOnce(name, input), tools });
        await agent.call("go");
        expect(since()).toBeLessThan(CALL_MS + 3_000 + SLACK_MS);
        await agent.close();
      }
      await Promise.race([
        server.close(),
        sleep(SLACK_MS).then(() => Promise.reject(new Error("close hangs"))),
      ]);
      expect(watch.worst).toBeLessThan(MAX_LAG_MS);
      expect(rss).toBeLessThan(MAX_RSS_BYTES);
      expect(unhandled).toEqual([]);
      expect({}).not.toHaveProperty("polluted");
    },
  );
});
