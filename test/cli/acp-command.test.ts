// The command `acp`, started by an editor.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import * as sdk from "@agentclientprotocol/sdk";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { createAgent } from "agentchart";
import { sqliteStore } from "agentchart/store/sqlite";
import { scriptedModel } from "agentchart/testing";
import { chatCompletionsServer } from "../../src/testing/chat-completions-server.ts";
import { scratch } from "../store/scratch.ts";
import { BARE_ENV } from "../support/bare-env.ts";
import { MAIN, TOOLS } from "./agentchart.ts";
import { editor } from "./editor.ts";

const { dir, remove } = scratch();
afterAll(remove);

/** Has an editor start the command, and work with its agent. */
async function inEditor(
  work: (agent: sdk.ClientContext) => Promise<void>,
  baseURL = "http://localhost:9/v1",
) {
  const args = ["acp", "--base-url", baseURL, "--model", "m", "--tools", TOOLS.weather];
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
}

test("agentchart acp serves an editor that starts it, and opens its sessions again in another process", async () => {
  const server = await chatCompletionsServer(({ messages }) => ({
    content: `You have said ${messages.filter(({ role }) => role === "user").length} things.`,
  }));
  onTestFinished(() => server.close());
  const prompt = [{ type: "text" as const, text: "Hello." }];
  let sessionId = "";
  const first = await inEditor(async (agent) => {
    ({ sessionId } = await agent.request("session/new", { cwd: dir, mcpServers: [] }));
    await agent.request("session/prompt", { sessionId, prompt });
  }, server.baseURL);
  const second = await inEditor(async (agent) => {
    await agent.request("session/load", { sessionId, cwd: dir, mcpServers: [] });
    await agent.request("session/prompt", { sessionId, prompt });
  }, server.baseURL);
  expect(first).toBe("You have said 1 things.");
  expect(second).toBe("You have said 1 things.You have said 2 things.");
});

test("a session that is not stored is not loaded, and not made", async () => {
  const store = sqliteStore({ path: join(dir, "acp.db") });
  onTestFinished(() => store.close());
  await inEditor(async (agent) => {
    const loading = agent.request("session/load", { sessionId: "typo", cwd: dir, mcpServers: [] });
    await expect(loading).rejects.toThrow("Session not found: typo");
  });
  expect(await store.load("typo")).toBeUndefined();
});

test("the servers of a session that cannot be opened are ended", async () => {
  const store = sqliteStore({ path: join(dir, "acp.db") });
  onTestFinished(() => store.close());
  const holder = createAgent({ name: "holder", model: scriptedModel([]), store, sessionId: "held" });
  await holder.open();
  onTestFinished(() => holder.close());
  const [file, raw] = [join(dir, "pid"), join(import.meta.dirname, "../tool/mcp/raw-server.mjs")];
  const script = `echo $$ > '${file}'; exec '${process.execPath}' '${raw}'`;
  const mcpServers = [{ name: "raw", command: "/bin/sh", args: ["-c", script], env: [] }];
  await inEditor(async (agent) => {
    const loading = agent.request("session/load", { sessionId: "held", cwd: dir, mcpServers });
    await expect(loading).rejects.toThrow("is open in another process");
    expect(() => process.kill(Number(readFileSync(file, "utf8")), 0)).toThrow("ESRCH");
  });
});
