// Messages of an MCP host while a turn runs.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { textOf, type ChatModel } from "agentchart";
import { serve } from "agentchart/server";
import { createDispatcher, createWorker } from "agentchart/worker";
import { expect, onTestFinished, test } from "vitest";
import { openServer, TOKENS } from "./open-server.ts";

test("a message of a host that comes while a turn runs gets the answer of its own turn", async () => {
  const gate = Promise.withResolvers<void>();
  const model: ChatModel = {
    name: "echo",
    async *stream({ messages }) {
      const said = textOf(messages.at(-1)!);
      if (said === "hold") await gate.promise;
      yield { type: "text.delta", delta: `echo: ${said}` };
      yield { type: "finish", reason: "stop" };
    },
  };
  const server = openServer({ mcp: { agents: { desk: "Repeats." }, key: "k".repeat(32) } });
  const { store, queue } = server;
  const worker = createWorker({
    store,
    queue,
    agents: { desk: () => ({ name: "desk", model }) },
    sweepMs: 100,
  });
  onTestFinished(() => worker.close({ deadlineMs: 100 }));
  await worker.start();
  const { url, close } = await serve(server.app);
  onTestFinished(close);
  const dispatcher = createDispatcher({ store, queue });
  await dispatcher.dispatch("acme/s", "hold", { agent: "desk", meta: { tenant: "acme" } });
  await expect.poll(async () => (await dispatcher.status("acme/s")).phase).toBe("running");

  const client = new Client({ name: "host", version: "1" }, { versionNegotiation: { mode: "auto" } });
  const requestInit = { headers: { authorization: `Bearer ${TOKENS.acme}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
  onTestFinished(() => client.close());
  const asked = client.callTool({ name: "desk", arguments: { message: "mine", session: "s" } });
  await expect.poll(async () => (await dispatcher.status("acme/s")).inputs).toBe(1);
  gate.resolve();
  expect((await asked).content).toMatchObject([{ text: "echo: mine" }]);
});
