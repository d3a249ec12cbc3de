// Every tool of two public servers.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { createAgent, createToolkit, type ToolResultBlock } from "agentchart";
import { mcp, type McpEvent, type McpOptions, type McpServer } from "agentchart/mcp";
import { scriptedModel } from "agentchart/testing";
import type { JsonObject } from "../../../src/core/base/json.ts";
import { ROOT } from "../../project/source-files.ts";
import { outputOf } from "../../support/agents.ts";
import { BARE_ENV } from "../../support/bare-env.ts";
import { freePort } from "../../support/free-port.ts";

/** A call of a tool, and what it says: text that the output has, or a block of it, or the code of an error and its text. */
type Row = readonly [tool: string, input: JsonObject, says: RegExp | JsonObject | Failure];
type Failure = readonly [code: string, text: string];

const programOf = (server: string): string =>
  join(ROOT, `node_modules/@modelcontextprotocol/server-${server}/dist/index.js`);

const PNG = "iVBORw0KGgo=";
const media = (type: string, mediaType: string, data: string) => ({
  type,
  source: { type: "base64", mediaType, data },
});
const text = (value: string) => ({ type: "text", text: value });

const EVERYTHING: readonly Row[] = [
  ["echo", { message: "hi" }, text("Echo: hi")],
  ["echo", {}, ["tool/bad-input", 'required property "message"']],
  ["get-annotated-message", { messageType: "error", includeImage: true }, text("Error: Operation failed")],
  ["get-annotated-message", { messageType: "success" }, text("ok")], // the rest is for the user
  ["get-annotated-message", { messageType: "debug" }, text("Debug: Cache hit ratio 0.95, latency 150ms")],
  ["get-annotated-message", { messageType: "other" }, ["tool/bad-input", "messageType"]],
  ["get-env", {}, /^(?![^]*VITEST)[^]*"PATH"/],
  ["get-resource-links", { count: 2 }, /^\[Resource Text Resource 2: demo:\/\/\S+ text\/plain\]$/],
  ["get-resource-links", { count: 11 }, ["tool/bad-input", "count"]],
  ["get-resource-reference", {}, /^\[demo:\/\/resource\/dynamic\/text\/1\]\nResource 1: /],
  [
    "get-resource-reference",
    { resourceType: "Blob", resourceId: 2 },
    /^\[Binary resource text\/plain demo:\/\/resource\/dynamic\/blob\/2, \d+ bytes\]$/,
  ],
  ["get-resource-reference", { resourceId: 0 }, ["tool/failed", "Error: Invalid resourceId: 0. Must be"]],
  ["get-structured-content", { location: "Chicago" }, /^{"temperature":36,/],
  ["get-sum", { a: 1, b: 2 }, text("The sum of 1 and 2 is 3.")],
  ["get-sum", { a: "1", b: 2 }, ["tool/bad-input", "a: "]],
  ["get-tiny-image", {}, media("image", "image/png", expect.stringMatching(/^iVBOR/) as string)],
  [
    "gzip-file-as-resource",
    { name: "a.gz", data: "data:text/plain,hi", outputType: "resource" },
    /^\[Binary resource application\/gzip demo:\/\/resource\/session\/a\.gz, \d+ bytes\]$/,
  ],
  [
    "gzip-file-as-resource",
    { name: "a.gz", data: "data:text/plain,hi" },
    text("[Resource a.gz: demo://resource/session/a.gz application/gzip]"),
  ],
  [
    "gzip-file-as-resource",
    { data: "ftp://a.example/b" },
    ["tool/failed", "Error: Error processing file ftp://a.example/b: Unsupported URL protocol"],
  ],
  ["toggle-simulated-logging", {}, /^Started simulated, random-leveled logging/],
  ["toggle-simulated-logging", {}, /^Stopped simulated logging/],
  ["toggle-subscriber-updates", {}, /^Started simulated resource updated notifications/],
  ["toggle-subscriber-updates", {}, /^Stopped simulated resource updates/],
  ["trigger-long-running-operation", { duration: 0.05, steps: 2 }, /^Long running operation completed/],
  ["get-roots-list", {}, /URI: file:\/\/\/tmp\/one%20folder/],
  ["trigger-elicitation-request", {}, /^User inputs:\n- Name: Ann/],
  ["trigger-url-elicitation", { url: "https://a.example/x" }, /^✅ User completed the URL elicitation flow/],
  ["trigger-url-elicitation", { url: "https://a.example/y", errorPath: true }, /^✅ User completed/],
  ["trigger-sampling-request", { prompt: "hi" }, /"text": "Sampled\."/],
  ["trigger-sampling-request", {}, ["tool/bad-input", "prompt"]],
];

const filesystem = (dir: string): readonly Row[] => {
  const [a, b, d, none] = ["a.txt", "b.txt", "d", "none"].map((name) => join(dir, name)) as [
    string,
    string,
    string,
    string,
  ];
  return [
    ["read_file", { path: a }, text("one\ntwo\nthree\n")],
    ["read_file", {}, ["tool/bad-input", 'required property "path"']],
    ["read_text_file", { path: a, head: 1 }, text("one")],
    [
      "read_text_file",
      { path: a, head: 1, tail: 1 },
      ["tool/failed", "Error: Cannot specify both head and tail"],
    ],
    [
      "read_text_file",
      { path: "/etc/passwd" },
      ["tool/failed", "Error: Access denied - path outside allowed"],
    ],
    ["read_text_file", { path: none }, ["tool/failed", "Error: ENOENT: no such file or directory"]],
    ["read_media_file", { path: join(dir, "p.png") }, media("image", "image/png", PNG)],
    ["read_media_file", { path: join(dir, "s.wav") }, media("audio", "audio/wav", "UklGRg==")],
    [
      "read_media_file",
      { path: join(dir, "z.bin") },
      /^\[Binary resource application\/octet-stream \S+, 2 bytes\]$/,
    ],
    ["read_multiple_files", { paths: [a, none] }, /one\ntwo\nthree\n[^]*none: Error - ENOENT/],
    ["read_multiple_files", { paths: [] }, ["tool/bad-input", "paths"]],
    ["write_file", { path: b, content: "hi" }, text(`Successfully wrote to ${b}`)],
    ["write_file", { path: "/b.txt", content: "hi" }, ["tool/failed", "Error: Access denied"]],
    ["edit_file", { path: b, edits: [{ oldText: "hi", newText: "ho" }] }, /\n-hi\n[^]*\n\+ho\n/],
    [
      "edit_file",
      { path: b, edits: [{ oldText: "no", newText: "yes" }] },
      ["tool/failed", "Error: Could not find exact match for edit:\nno"],
    ],
    ["create_directory", { path: d }, text(`Successfully created directory ${d}`)],
    ["list_directory", { path: dir }, /^\[FILE\] a\.txt\n\[FILE\] b\.txt\n\[DIR\] d\n/],
    ["list_directory", { path: none }, ["tool/failed", "Error: ENOENT"]],
    ["list_directory_with_sizes", { path: dir }, /Total: 5 files, 1 directories/],
    ["directory_tree", { path: dir }, /"name": "d",\s+"type": "directory"/],
    ["move_file", { source: b, destination: join(d, "b.txt") }, /^Successfully moved /],
    [
      "move_file",
      { source: a, destination: join(d, "b.txt") },
      ["tool/failed", "Destination already exists"],
    ],
    ["search_files", { path: dir, pattern: "**/*.txt" }, text(`${a}\n${join(d, "b.txt")}`)],
    ["get_file_info", { path: a }, /^size: 14\n[^]*isFile: true/],
    ["list_allowed_directories", {}, text(`Allowed directories:\n${dir}`)],
  ];
};

const MEMORY: readonly Row[] = [
  [
    "create_entities",
    {
      entities: [
        { name: "Ann", entityType: "person", observations: ["likes tea"] },
        { name: "Bob", entityType: "person", observations: [] },
      ],
    },
    /"likes tea"/,
  ],
  ["create_entities", { entities: "Ann" }, ["tool/bad-input", "entities: "]],
  ["create_relations", { relations: [{ from: "Ann", to: "Bob", relationType: "knows" }] }, /"knows"/],
  ["add_observations", { observations: [{ entityName: "Bob", contents: ["likes rum"] }] }, /"likes rum"/],
  [
    "add_observations",
    { observations: [{ entityName: "Eve", contents: ["x"] }] },
    ["tool/failed", "Error: Entity with name Eve not found"],
  ],
  ["read_graph", {}, /"likes tea"[^]*"likes rum"[^]*"knows"/],
  ["search_nodes", { query: "rum" }, /"Bob"/],
  ["open_nodes", { names: ["Ann"] }, /"likes tea"/],
  [
    "delete_observations",
    { deletions: [{ entityName: "Bob", observations: ["likes rum"] }] },
    text("Observations deleted successfully"),
  ],
  [
    "delete_relations",
    { relations: [{ from: "Ann", to: "Bob", relationType: "knows" }] },
    text("Relations deleted successfully"),
  ],
  ["delete_entities", { entityNames: ["Ann"] }, text("Entities deleted successfully")],
  ["read_graph", {}, /^(?!.*Ann)(?!.*tea)[^]*"Bob"/s],
];

const isFailure = (says: Row[2]): says is Failure => Array.isArray(says);

function check(result: ToolResultBlock, says: Row[2], call: string): void {
  if (isFailure(says)) {
    const [code, message] = says;
    expect(result, call).toMatchObject({ state: "error", code });
    return expect(outputOf(result), call).toContain(message);
  }
  expect(result, call).toMatchObject({ state: "success" });
  const said = says instanceof RegExp ? text(expect.stringMatching(says) as string) : says;
  expect(result.output, call).toContainEqual(said);
}

/** Calls the tools of a table in its order, and checks that the table has all of them. */
async function checkAll(server: McpServer, rows: readonly Row[]): Promise<void> {
  const toolkit = createToolkit({ tools: server.tools({ permission: "allow" }) });
  const called = new Set(rows.map(([tool]) => `it__${tool}`));
  expect([...called].toSorted()).toEqual(toolkit.names().toSorted());
  for (const [tool, input, says] of rows)
    check(await toolkit.invoke(`it__${tool}`, input), says, `${tool} ${JSON.stringify(input)}`);
}

async function open(options: McpOptions): Promise<McpServer> {
  const server = await mcp({ name: "it", ...options });
  onTestFinished(() => server.close());
  return server;
}

const overStdio = (server: string, args: readonly string[], more: McpOptions = {}): Promise<McpServer> =>
  open({ command: process.execPath, args: [programOf(server), ...args], ...more });

/** Starts the server of everything over HTTP, and says how it is connected to. */
async function overHttp(kind: "streamableHttp" | "sse"): Promise<McpOptions> {
  const port = await freePort();
  const child = spawn(process.execPath, [programOf("everything"), kind], {
    env: { ...BARE_ENV, PORT: String(port) },
    stdio: "ignore",
  });
  const exit = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exit;
  });
  const address = `http://127.0.0.1:${port}`;
  while (!(await fetch(`${address}/mcp`).catch(() => undefined))) await sleep(50);
  // over Streamable HTTP the server is asked first which revisions it speaks
  return kind === "sse"
    ? { url: `${address}/sse`, transport: "sse", era: "legacy" }
    : { url: `${address}/mcp` };
}

test.each(["stdio", "streamableHttp", "sse"] as const)(
  "every tool of server-everything returns its result or its error, and a question rests, over %s",
  async (transport) => {
    const events: McpEvent[] = [];
    const options: McpOptions = {
      sampling: { model: scriptedModel(["Sampled."]) },
      roots: ["/tmp/one folder"],
      elicitation: ({ kind }) => (kind === "url" ? "approve" : { respond: { name: "Ann" } }),
      onEvent: (event) => void events.push(event),
    };
    const where =
      transport === "stdio"
        ? { command: process.execPath, args: [programOf("everything")] }
        : await overHttp(transport);
    const server = await open({ ...where, ...options });
    await checkAll(server, EVERYTHING);
    await expect.poll(() => events.map(({ type }) => type)).toContain("log");
    expect(events.filter(({ type }) => type === "left-out")).toMatchObject([
      { tool: "simulate-research-query", message: expect.stringContaining("as a task only") as string },
    ]);
    const name = "it__trigger-elicitation-request";
    const model = scriptedModel([{ calls: [{ id: "call_1", name, input: {} }] }, "Done."]);
    const agent = createAgent({ name: "a", model, tools: (await open(where)).tools() });
    expect((await agent.call("go")).pending).toMatchObject([{ callId: "call_1/question" }]);
    await agent.decide("call_1", { respond: { name: "Eve" } });
    expect((await agent.call()).text).toBe("Done.");
    expect(JSON.stringify(await agent.messages())).toContain("- Name: Eve");
  },
);

test("every tool of server-filesystem returns its result or its error", async () => {
  const dir = mkdtempSync(join(tmpdir(), "mcp-"));
  writeFileSync(join(dir, "a.txt"), "one\ntwo\nthree\n");
  writeFileSync(join(dir, "p.png"), Buffer.from(PNG, "base64"));
  writeFileSync(join(dir, "s.wav"), "RIFF");
  writeFileSync(join(dir, "z.bin"), "zz");
  await checkAll(await overStdio("filesystem", [dir]), filesystem(dir));
  expect(readFileSync(join(dir, "d", "b.txt"), "utf8")).toBe("ho");
});

test("every tool of server-memory returns its result or its error", async () => {
  const env = { MEMORY_FILE_PATH: join(mkdtempSync(join(tmpdir(), "mcp-")), "memory.json") };
  await checkAll(await overStdio("memory", [], { env }), MEMORY);
});
