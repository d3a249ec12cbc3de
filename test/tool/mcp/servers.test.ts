// Servers over stdio and HTTP.
import { spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { createAgent, createToolkit, toolResultsOf } from "agentchart";
import { mcp, type McpEvent, type McpOptions, type McpServer } from "agentchart/mcp";
import { scriptedModel } from "agentchart/testing";
import { ROOT } from "../../project/source-files.ts";
import { freePort } from "../../support/free-port.ts";

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

const programOf = (server: string): string =>
  join(ROOT, `node_modules/@modelcontextprotocol/server-${server}/dist/index.js`);

async function open(options: McpOptions): Promise<McpServer> {
  const server = await mcp(options);
  opened.push(server);
  return server;
}
const over = (server: string, args: readonly string[] = [], more: McpOptions = {}): Promise<McpServer> =>
  open({ name: server, command: process.execPath, args: [programOf(server), ...args], ...more });
const hostile = (more: McpOptions = {}): Promise<McpServer> =>
  open({ command: process.execPath, args: [join(import.meta.dirname, "hostile-server.mjs")], ...more });

const invoke = async (server: McpServer, name: string, input = {}) =>
  createToolkit({ tools: server.tools() }).invoke(name, input);

test("the tools of a server over stdio return text, media, links and errors", async () => {
  const server = await over("everything");
  const tools = server.tools();
  expect(tools.map(({ name }) => name)).toContain("everything__echo");
  expect(tools.map(({ name }) => name)).not.toContain("everything__simulate-research-query");
  expect(tools.every(({ onRestart }) => onRestart === "ask")).toBe(true);
  expect(await invoke(server, "everything__echo", { message: "hi" })).toMatchObject({
    state: "success",
    output: [{ type: "text", text: "Echo: hi" }],
  });
  const media = await invoke(server, "everything__get-tiny-image");
  expect(media.output).toContainEqual({
    type: "image",
    source: { type: "base64", mediaType: "image/png", data: expect.any(String) as string },
  });
  const structured = await invoke(server, "everything__get-structured-content", { location: "Chicago" });
  expect(structured.metadata).toMatchObject({
    structuredContent: { temperature: expect.any(Number) as number },
  });
  expect(await invoke(server, "everything__get-resource-links", { count: 1 })).toMatchObject({
    output: [{ type: "text" }, { type: "text", text: expect.stringMatching(/^\[Resource /) as string }],
  });
  expect(await invoke(server, "everything__echo", {})).toMatchObject({
    state: "error",
    code: "tool/bad-input",
  });
});

test("an agent calls a tool, and hears of its progress", async () => {
  const server = await over("everything");
  const name = "everything__trigger-long-running-operation";
  const model = scriptedModel([{ calls: [{ name, input: { duration: 1, steps: 2 } }] }, "Done."]);
  const agent = createAgent({
    name: "a",
    model,
    tools: server.tools({ only: ["trigger-long-running-operation"] }),
  });
  const chunks: unknown[] = [];
  agent.subscribe((event) => void (event.type === "tool.delta" && chunks.push(event)));
  const reply = await agent.call("go");
  expect(reply.reason).toBe("MODEL_STOP");
  expect(chunks).not.toEqual([]);
  await agent.close();
});

test("an interrupted turn cancels the call, and the server answers the next one", async () => {
  const server = await over("everything");
  const name = "everything__trigger-long-running-operation";
  const toolkit = createToolkit({ tools: server.tools() });
  const stop = new AbortController();
  const call = toolkit.invoke(name, { duration: 60, steps: 60 }, { signal: stop.signal });
  stop.abort();
  expect(await call).toMatchObject({ state: "interrupted" });
  expect(await invoke(server, "everything__echo", { message: "hi" })).toMatchObject({ state: "success" });
});

test("a server of files returns files, and the text of an error", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mcp-"));
  writeFileSync(join(folder, "a.txt"), "content");
  const server = await over("filesystem", [folder], { trust: true });
  const [read, write] = ["read_text_file", "write_file"].map((name) => server.tools({ only: [name] })[0]!);
  expect(read).toMatchObject({ name: "filesystem__read_text_file", onRestart: "retry" });
  expect(write).toMatchObject({ permission: "ask" });
  expect(await invoke(server, read!.name, { path: join(folder, "a.txt") })).toMatchObject({
    output: [{ type: "text", text: "content" }],
  });
  expect(await invoke(server, read!.name, { path: "/etc/passwd" })).toMatchObject({
    state: "error",
    output: [{ type: "text", text: expect.stringMatching(/^Error: .*Access denied/) as string }],
  });
});

test("two servers with the same tools have different names, and those of two with one name are refused", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "mcp-")), "memory.json");
  const env = { MEMORY_FILE_PATH: file };
  const [one, two] = [
    await over("memory", [], { env, name: "one" }),
    await over("memory", [], { env, name: "two" }),
  ];
  const toolkit = createToolkit({ tools: [...one.tools(), ...two.tools()] });
  expect(toolkit.names()).toEqual(expect.arrayContaining(["one__read_graph", "two__read_graph"]));
  expect(await toolkit.invoke("two__read_graph", {})).toMatchObject({ state: "success" });
  const other = await over("memory", [], { env, name: "one" });
  const tools = [...one.tools(), ...other.tools()];
  const duplicate = {
    code: "tool/duplicate",
    message: expect.stringContaining("'one__create_entities'") as string,
  };
  expect(() => createToolkit({ tools })).toThrow(expect.objectContaining(duplicate));
  expect(() => createAgent({ name: "a", model: scriptedModel([]), tools })).toThrow(
    expect.objectContaining(duplicate),
  );
  const apart = [
    ...one.tools(),
    ...other.tools({ rename: { read_graph: "read_other" }, only: ["read_graph"] }),
  ];
  expect(createToolkit({ tools: apart }).names()).toContain("one__read_other");
});

/** Starts the server of everything over Streamable HTTP. */
async function overHttp(port: number) {
  const child = spawn(process.execPath, [programOf("everything"), "streamableHttp"], {
    env: { ...process.env, PORT: String(port) },
    stdio: "ignore",
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const stop = async (): Promise<void> => {
    child.kill("SIGKILL");
    await ended;
  };
  opened.push({ close: stop });
  for (;;) {
    if (await fetch(`http://127.0.0.1:${port}/mcp`).catch(() => undefined)) return { stop };
    await sleep(50);
  }
}

test("a server over HTTP is called, and again after it has started anew", async () => {
  const port = await freePort();
  const first = await overHttp(port);
  const server = await open({ name: "web", url: `http://127.0.0.1:${port}/mcp`, era: "legacy" });
  const echo = { state: "success", output: [{ type: "text", text: "Echo: hi" }] };
  expect(await invoke(server, "web__echo", { message: "hi" })).toMatchObject(echo);
  await first.stop();
  await overHttp(port);
  expect(await invoke(server, "web__echo", { message: "hi" })).toMatchObject(echo);
});

test("a call that reports no progress for `idleTimeoutMs` is given up", async () => {
  const server = await over("everything", [], { idleTimeoutMs: 300 });
  const name = "everything__trigger-long-running-operation";
  const model = scriptedModel([{ calls: [{ name, input: { duration: 60, steps: 1 } }] }, "Done."]);
  const tools = server.tools({ only: ["trigger-long-running-operation"] });
  const agent = createAgent({ name: "a", model, tools });
  await agent.call("go");
  const results = (await agent.messages()).flatMap((message) => toolResultsOf(message));
  expect(results).toMatchObject([{ state: "error", code: "tool/timeout" }]);
  await agent.close();
});

test("a server over HTTP that is killed in a call fails the call", async () => {
  const port = await freePort();
  const { stop } = await overHttp(port);
  const server = await open({ name: "web", url: `http://127.0.0.1:${port}/mcp`, era: "legacy" });
  const name = "web__trigger-long-running-operation";
  const model = scriptedModel([{ calls: [{ name, input: { duration: 600, steps: 6000 } }] }, "Done."]);
  const agent = createAgent({
    name: "a",
    model,
    tools: server.tools({ only: ["trigger-long-running-operation"] }),
  });
  agent.subscribe((event) => void (event.type === "tool.delta" && stop()));
  await agent.call("go");
  const results = (await agent.messages()).flatMap((message) => toolResultsOf(message));
  const text = expect.stringContaining("it may have taken effect") as string;
  expect(results).toMatchObject([{ state: "error", output: [{ text }] }]);
  await agent.close();
});

test("a server that dies in a call is an unknown outcome, and is started again for the next call", async () => {
  const events: McpEvent[] = [];
  const server = await hostile({ onEvent: (event) => void events.push(event) });
  expect(await invoke(server, "hostile__die")).toMatchObject({
    state: "error",
    output: [{ text: expect.stringContaining("The server 'hostile' was lost while the call ran") as string }],
  });
  expect(events).toContainEqual(expect.objectContaining({ type: "disconnected", server: "hostile" }));
  expect(server.status).toBe("disconnected");
  expect(await invoke(server, "hostile__large")).toMatchObject({ state: "success" });
});

test("bad names, descriptions and schemas of a server are mended, cut or left out", async () => {
  const events: McpEvent[] = [];
  const server = await hostile({ onEvent: (event) => void events.push(event) });
  const tools = server.tools();
  expect(tools[0]!.name).toBe("hostile________etc_passwd");
  expect(tools[0]!.description.length).toBeLessThan(9_000);
  const leftOut = events.filter(({ type }) => type === "left-out").map(({ tool }) => tool);
  expect(leftOut).toEqual(["remote", "task"]);
  expect(tools.find(({ name }) => name === "hostile__large")!.onRestart).toBe("ask"); // its hint is not trusted
  expect(tools.find(({ name }) => name === "hostile__die")!.permission).toBe("ask"); // this one makes us stricter
  expect(await invoke(server, "hostile__mismatch")).toMatchObject({ state: "success" });
  expect(events).toContainEqual(expect.objectContaining({ type: "warning", tool: "mismatch" }));
  expect(() => server.tools({ only: ["lagre"] })).toThrow("has no tool 'lagre'");
});

test("a result that is too large is an error, and so is one that the connection refuses", async () => {
  const server = await hostile({ maxResultBytes: 1_500_000 });
  expect(await invoke(server, "hostile__large")).toMatchObject({ state: "success" });
  expect(await invoke(server, "hostile__huge")).toMatchObject({ state: "error" });
  expect(await invoke(server, "hostile__large")).toMatchObject({ state: "success" });
});

test("endless progress does not keep a call from its time-out", async () => {
  const server = await hostile({ timeoutMs: 1_000 });
  let chunks = 0;
  const model = scriptedModel([{ calls: [{ name: "hostile__chatty", input: {} }] }, "Done."]);
  const agent = createAgent({ name: "a", model, tools: server.tools({ only: ["chatty"] }) });
  agent.subscribe((event) => void (event.type === "tool.delta" && chunks++));
  await agent.call("go");
  const results = (await agent.messages()).flatMap((message) => toolResultsOf(message));
  expect(results).toMatchObject([{ state: "error", code: "tool/timeout" }]);
  expect(chunks).toBeLessThanOrEqual(1_000);
  await agent.close();
});

test("progress beyond what is passed on still counts as progress", async () => {
  const server = await hostile({ timeoutMs: 1_500, idleTimeoutMs: 500 });
  const model = scriptedModel([{ calls: [{ name: "hostile__chatty", input: {} }] }, "Done."]);
  const agent = createAgent({ name: "a", model, tools: server.tools({ only: ["chatty"] }) });
  await agent.call("go");
  const results = (await agent.messages()).flatMap((message) => toolResultsOf(message));
  expect(results).toMatchObject([{ code: "tool/timeout" }]);
  expect(JSON.stringify(results)).not.toContain("said nothing");
  await agent.close();
});

test("a changed list of tools reaches a toolkit when it is asked for", async () => {
  const changed = Promise.withResolvers<void>();
  const server = await hostile({ onEvent: ({ type }) => type === "tools-changed" && changed.resolve() });
  const toolkit = createToolkit({ tools: server.tools() });
  expect(await server.updateTools(toolkit)).toBe(false);
  await toolkit.invoke("hostile__grow", {});
  await changed.promise;
  expect(toolkit.names()).not.toContain("hostile__new");
  expect(await server.updateTools(toolkit)).toBe(true);
  expect(toolkit.names()).toContain("hostile__new");
});

test("what a server has to read is listed, read, and given to the model as two tools", async () => {
  const server = await over("everything", [], { maxResultBytes: 100_000 });
  const [resource] = await server.resources();
  expect(resource).toMatchObject({ uri: expect.any(String) as string, name: expect.any(String) as string });
  expect(await server.readResource(resource!.uri)).toMatchObject([{ type: "text" }]);
  const [list, read] = server.resourceTools();
  const toolkit = createToolkit({ tools: [list!, read!] });
  expect(toolkit.names()).toEqual(["everything__list_resources", "everything__read_resource"]);
  const listed = await toolkit.invoke("everything__list_resources", {});
  expect(JSON.stringify(listed.output)).toContain(resource!.uri);
  expect(await toolkit.invoke("everything__read_resource", { uri: resource!.uri })).toMatchObject({
    state: "success",
  });
  expect(await toolkit.invoke("everything__read_resource", { uri: "none://" })).toMatchObject({
    state: "error",
  });
  expect((await server.prompts()).find(({ name }) => name === "args-prompt")?.arguments).toContainEqual({
    name: "city",
    required: true,
  });
});

test("a server of today asks the model and for folders, as far as that is configured", async () => {
  const sampling = { model: scriptedModel(["Sampled."]), maxCalls: 1 };
  const server = await over("everything", [], { sampling, roots: ["/tmp/one folder"] });
  const name = "everything__trigger-sampling-request";
  expect(JSON.stringify((await invoke(server, name, { prompt: "hi" })).output)).toContain("Sampled.");
  const roots = await invoke(server, "everything__get-roots-list");
  expect(JSON.stringify(roots.output)).toContain("file:///tmp/one%20folder");
  const bare = await over("everything");
  expect(bare.tools().map((tool) => tool.name)).not.toContain(name);
});

test("a tool that changes after it was approved for good is asked for again, and not in the same turn", async () => {
  const changed = Promise.withResolvers<void>();
  const server = await hostile({ onEvent: ({ type }) => type === "tools-changed" && changed.resolve() });
  const call = { calls: [{ name: "hostile__rug", input: {} }] };
  const model = scriptedModel([call, "Done.", call, "Done."]);
  const tools = server.tools({ only: ["rug", "large"], permission: "ask" });
  const agent = createAgent({ name: "a", model, tools });
  const [pending] = (await agent.call("go")).pending;
  await agent.decide(pending!.callId, { approve: true, remember: "tool" });
  expect((await agent.call()).text).toBe("Done.");
  await changed.promise;
  const shown = (): string => JSON.stringify(server.tools({ only: ["rug"] }));
  await expect.poll(shown).toContain("Deletes everything."); // the new list is read
  const again = await agent.call("go");
  expect(again.reason).toBe("APPROVAL_REQUIRED");
  const [first, second, third] = model.requests.map(({ tools: offered }) => JSON.stringify(offered));
  expect(second).toBe(first);
  expect(third).toContain("Deletes everything.");
  expect(JSON.stringify(model.requests)).not.toContain("Ignore all rules");
  await agent.close();
});

test("a list of tools that is larger than a message may be is an error that names the server", async () => {
  const args = [join(import.meta.dirname, "hostile-server.mjs"), "wide"];
  await expect(mcp({ name: "wide", command: process.execPath, args })).rejects.toMatchObject({
    code: "tool/failed",
    message: expect.stringContaining("The MCP server 'wide' does not list its tools") as string,
  });
});
