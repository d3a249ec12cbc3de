// The command `acp`, started by an editor.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import * as sdk from "@agentclientprotocol/sdk";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { chatCompletionsServer } from "../../src/testing/chat-completions-server.ts";
import { scratch } from "../store/scratch.ts";
import { BARE_ENV } from "../support/bare-env.ts";
import { MAIN, TOOLS } from "./agentchart.ts";
import { editor } from "./editor.ts";

const { dir, remove } = scratch();
afterAll(remove);

test("agentchart acp serves an editor that starts it, and opens its sessions again in another process", async () => {
  const server = await chatCompletionsServer(({ messages }) => ({
    content: `You have said ${messages.filter(({ role }) => role === "user").length} things.`,
  }));
  onTestFinished(() => server.close());
  const life = async (work: (agent: sdk.ClientContext) => Promise<void>) => {
    const args = ["acp", "--base-url", server.baseURL, "--model", "m", "--tools", TOOLS.weather];
    const child = spawn(
      process.execPath,
      ["--conditions=agentchart-source", MAIN, ...args, "--store", `sqlite:${join(dir, "acp.db")}`],
      { env: { ...BARE_ENV, HOME: dir }, stdio: ["pipe", "pipe", "inherit"] },
    );
    const stream = sdk.ndJsonStream(
      Writable.toWeb(child.stdin),
      Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
    );
    const exited = new Promise((resolve) => child.once("exit", resolve));
    const { app, said } = editor();
    const connection = app.connect(stream);
    const { agent } = connection;
    const { agentInfo } = await agent.request("initialize", { protocolVersion: sdk.PROTOCOL_VERSION });
    expect(agentInfo).toMatchObject({ name: "agentchart" });
    await work(agent);
    child.stdin.end();
    expect(await exited).toBe(0);
    connection.close();
    return said();
  };
  const prompt = [{ type: "text" as const, text: "Hello." }];
  let sessionId = "";
  const first = await life(async (agent) => {
    ({ sessionId } = await agent.request("session/new", { cwd: dir, mcpServers: [] }));
    await agent.request("session/prompt", { sessionId, prompt });
  });
  const second = await life(async (agent) => {
    await agent.request("session/load", { sessionId, cwd: dir, mcpServers: [] });
    await agent.request("session/prompt", { sessionId, prompt });
  });
  expect(first).toBe("You have said 1 things.");
  expect(second).toBe("You have said 1 things.You have said 2 things.");
});
