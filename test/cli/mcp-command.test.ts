// The command `mcp`, driven by hosts.
import { Client, StreamableHTTPClientTransport, type ClientOptions } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { scratch } from "../store/scratch.ts";
import { BARE_ENV } from "../support/bare-env.ts";
import { restOf } from "../tool/mcp/rest-of.ts";
import { agentchart, MAIN } from "./agentchart.ts";
import { TOKEN, workerFixture } from "./worker-fixture.ts";

// Every test starts a process, on machines that are busy with other tests.

const { dir, remove } = scratch();
afterAll(remove);
const AGENTS = join(import.meta.dirname, "fixtures/mcp-agents.ts");
const APPROVED = { action: "accept" as const, content: { decision: "approve" } };
const CAN_ASK: ClientOptions = { capabilities: { elicitation: { form: {} } } };
type Asked = { readonly requestState?: string };
const MODERN: ClientOptions = {
  versionNegotiation: { mode: { pin: "2026-07-28" } },
  inputRequired: { autoFulfill: false },
};

/** How `agentchart mcp` is started, and its payments so far. */
function serverOf(name: string) {
  const log = join(dir, `${name}.log`);
  const store = `sqlite:${join(dir, `${name}.db`)}`;
  const args = ["--conditions=agentchart-source", MAIN, "mcp", "--agents", AGENTS, "--queue", "memory"];
  const env = { ...BARE_ENV, HOME: dir, TOOL_LOG: log };
  const command = { command: process.execPath, args: [...args, "--store", store], env };
  return { command, payments: (): string => (existsSync(log) ? readFileSync(log, "utf8") : "") };
}

/** A host that has started it. */
async function host(name: string, options: ClientOptions = {}) {
  const { command, payments } = serverOf(name);
  const client = new Client({ name: "host", version: "1" }, { ...CAN_ASK, ...options });
  const transport = new StdioClientTransport({ ...command, stderr: "ignore" });
  onTestFinished(() => client.close());
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
  const asked = (await one.client.callTool(call, { allowInputRequired: true })) as Asked;
  expect(asked.requestState).toMatch(/^v1\./);
  process.kill(one.transport.pid!, "SIGKILL");
  const two = await host("modern", MODERN);
  await two.client.connect(two.transport);
  const answer = { ...call, inputResponses: { ask_1: APPROVED }, requestState: asked.requestState };
  const done = await two.client.callTool(answer as never, { allowInputRequired: true });
  expect(done).toMatchObject({ content: [{ text: "Settled." }] });
  expect(two.payments()).toBe("5\n");
});

test("a host of our own that is killed with the question gives the approval from its next process", async () => {
  const { command, payments } = serverOf("own");
  const spec = { kind: "file", dir: join(dir, "own-sessions") } as const;
  const server = { name: "far", era: "modern", ...command } as const;
  const args = { spec, server, tool: "far__desk", input: { message: "go" } };
  expect(await restOf(args)).toMatchObject({ reason: "TOOL_SUSPENDED", pending: ["call_1/ask_1"] });
  expect(payments()).toBe("");
  const answer = { respond: { decision: "approve" } };
  expect(await restOf({ ...args, answer })).toMatchObject({ reason: "MODEL_STOP", results: ["Settled."] });
  expect(payments()).toBe("5\n");
});

test("serve --mcp asks at /mcp, is killed with the question, and its next process takes the answer", async () => {
  const { serve, toolLog } = workerFixture(undefined, "memory", { HOME: dir });
  const connected = async () => {
    const { url, running } = await serve("--agents", AGENTS, "--mcp");
    const client = new Client({ name: "host", version: "1" }, { ...CAN_ASK, ...MODERN });
    onTestFinished(() => client.close());
    const to = (token: string) =>
      new StreamableHTTPClientTransport(new URL("/mcp", url), {
        requestInit: { headers: { authorization: `Bearer ${token}` } },
      });
    return { client, running, to };
  };
  const call = { name: "desk", arguments: { message: "go" } };
  const one = await connected();
  await expect(one.client.connect(one.to("another-token-of-nobody"))).rejects.toThrow();
  await one.client.connect(one.to(TOKEN));
  const asked = (await one.client.callTool(call, { allowInputRequired: true })) as Asked;
  one.running.child.kill("SIGKILL");
  await one.running.finished;
  expect(toolLog()).toEqual([]);
  const two = await connected();
  await two.client.connect(two.to(TOKEN));
  const answer = { ...call, inputResponses: { ask_1: APPROVED }, requestState: asked.requestState };
  const done = await two.client.callTool(answer as never, { allowInputRequired: true });
  expect(done).toMatchObject({ content: [{ text: "Settled." }] });
  expect(toolLog()).toEqual(["5"]);
});

test("serve --mcp needs agents", async () => {
  const args = ["serve", "--mcp", "--insecure-no-auth", "--store", `sqlite:${join(dir, "s.db")}`];
  const { code, stderr } = await agentchart([...args, "--queue", "memory", "--port", "0"]);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining("'--mcp' needs '--agents'.") as string,
  });
});
