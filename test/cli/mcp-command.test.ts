import { Client, type ClientOptions } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import { scratch } from "../store/scratch.ts";
import { BARE_ENV } from "../support/bare-env.ts";
import { agentchart, MAIN } from "./agentchart.ts";

// Every test starts a process, on machines that are busy with other tests.
vi.setConfig({ testTimeout: 60_000 });

const { dir, remove } = scratch();
afterAll(remove);
const AGENTS = join(import.meta.dirname, "fixtures/mcp-agents.ts");
const APPROVED = { action: "accept" as const, content: { decision: "approve" } };
const MODERN: ClientOptions = {
  versionNegotiation: { mode: { pin: "2026-07-28" } },
  inputRequired: { autoFulfill: false },
};

/** A host that has started `agentchart mcp`, and the number of payments so far. */
async function host(name: string, options: ClientOptions = {}) {
  const log = join(dir, `${name}.log`);
  const client = new Client(
    { name: "host", version: "1" },
    { capabilities: { elicitation: { form: {} } }, ...options },
  );
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ["--conditions=agentchart-source", MAIN, "mcp", "--agents", AGENTS, "--queue", "memory"].concat(
      "--store",
      `sqlite:${join(dir, `${name}.db`)}`,
    ),
    env: { ...BARE_ENV, HOME: dir, TOOL_LOG: log },
    stderr: "ignore",
  });
  onTestFinished(() => client.close());
  const payments = (): string => (existsSync(log) ? readFileSync(log, "utf8") : "");
  return { client, transport, payments };
}

test("a host of today asks its person for the approval of an agent, within the call", async () => {
  const { client, transport, payments } = await host("legacy");
  const asked: string[] = [];
  client.setRequestHandler("elicitation/create", ({ params }) => {
    asked.push(params.message);
    return APPROVED;
  });
  await client.connect(transport);
  expect((await client.listTools()).tools).toMatchObject([
    { name: "desk", description: "Pays what is owed." },
  ]);
  const result = await client.callTool({ name: "desk", arguments: { message: "go" } });
  expect(result).toMatchObject({ content: [{ text: "Settled." }] });
  expect(asked).toEqual([expect.stringMatching(/^Agent 'desk' wants to run pay {"cents":5}/)]);
  expect(payments()).toBe("5\n");
});

test("an approval that was asked by one process is given to the next one", async () => {
  const one = await host("modern", MODERN);
  await one.client.connect(one.transport);
  const call = { name: "desk", arguments: { message: "go" } };
  const asked = (await one.client.callTool(call, { allowInputRequired: true })) as {
    readonly requestState?: string;
  };
  expect(asked.requestState).toMatch(/^v1\./);
  process.kill(one.transport.pid!, "SIGKILL");
  const two = await host("modern", MODERN);
  await two.client.connect(two.transport);
  const answer = { ...call, inputResponses: { ask_1: APPROVED }, requestState: asked.requestState };
  const done = await two.client.callTool(answer as never, { allowInputRequired: true });
  expect(done).toMatchObject({ content: [{ text: "Settled." }] });
  expect(two.payments()).toBe("5\n");
});

test("serve --mcp needs agents", async () => {
  const args = ["serve", "--mcp", "--insecure-no-auth", "--store", `sqlite:${join(dir, "s.db")}`];
  const { code, stderr } = await agentchart([...args, "--queue", "memory", "--port", "0"]);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining("'--mcp' needs '--agents'.") as string,
  });
});
