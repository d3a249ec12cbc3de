// The option `--mcp-config` of `run`.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { readMcpConfig } from "../../src/cli/mcp-config.ts";
import { confirmServers, lineOf, trustHash } from "../../src/cli/mcp-trust.ts";
import { splitWords } from "../../src/cli/mcp-servers.ts";
import { openTerminal } from "../../src/cli/terminal.ts";
import { chatCompletionsServer } from "../../src/testing/chat-completions-server.ts";
import { scratch } from "../store/scratch.ts";
import { bookingServer } from "../tool/mcp/booking-server.ts";
import { agentchart } from "./agentchart.ts";

// Every test starts a process, on machines that are busy with other tests.

const { dir, remove } = scratch();
afterAll(remove);
const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

const SERVER = join(import.meta.dirname, "../tool/mcp/hostile-server.mjs");

/** A model that calls a tool, and then repeats its result. */
async function modelFlags(name: string, input: object = {}): Promise<string[]> {
  const model = await chatCompletionsServer(({ messages }) => {
    const last = messages.at(-1)!;
    if (last.role === "tool") return { content: `Result: ${last.content as string}` };
    return { tool_calls: [{ function: { name, arguments: JSON.stringify(input) } }] };
  });
  opened.push(model);
  return ["--base-url", model.baseURL, "--model", "m"];
}

let count = 0;
function configFile(config: unknown): string {
  const file = join(dir, `config-${++count}.json`);
  writeFileSync(file, JSON.stringify(config));
  return file;
}

describe("splitWords", () => {
  test.each([
    ["npx -y  server", ["npx", "-y", "server"]],
    [`a 'b c' "d \\"e\\"" f\\ g ''`, ["a", "b c", 'd "e"', "f g", ""]],
    ["$HOME `x` *", ["$HOME", "`x`", "*"]],
    [" ", []],
  ])("of %j are %j", (line, words) => expect(splitWords(line)).toEqual(words));

  test.each(["'a", '"a', "a\\"])("of %j are refused", (line) => {
    expect(() => splitWords(line)).toThrow("open quote or backslash");
  });
});

describe("--mcp-config", () => {
  test.each([
    ["{", "is not JSON"],
    [{}, "mcpServers"],
    [{ mcpServers: { a: {} } }, "the server 'a' needs a `command` or a `url`"],
    [{ mcpServers: { a: { command: "x", url: "http://a" } } }, "and not both"],
    [{ mcpServers: { a: { command: "x", args: "y" } } }, "args"],
  ])("%j is refused", async (config, message) => {
    const file = join(dir, "wrong.json");
    writeFileSync(file, typeof config === "string" ? config : JSON.stringify(config));
    const refusal = { code: "config/invalid", message: expect.stringContaining(message) };
    await expect(readMcpConfig(file)).rejects.toMatchObject(refusal);
  });

  test("takes what hosts write, and makes names that fit", async () => {
    const file = configFile({
      mcpServers: {
        "my files": { command: "npx", args: ["-y", "s"], env: { A: "1" }, disabled: false },
        old: { type: "sse", url: "http://a/sse", headers: { authorization: "secret" } },
      },
      theme: "dark",
    });
    expect((await readMcpConfig(file)).servers).toEqual([
      { name: "my_files", command: "npx", args: ["-y", "s"], env: { A: "1" } },
      { name: "old", url: "http://a/sse", headers: { authorization: "secret" }, transport: "sse" },
    ]);
  });

  test("is shown a line a server, whatever it has, and without the secrets of an address", async () => {
    const file = configFile({
      mcpServers: {
        a: { url: "https://ada:hunter2@a/mcp?api_key=s3cret\n  b: runs true" },
        c: { command: "evil", env: { "A=1 true\n  d": "x" } },
      },
    });
    expect((await readMcpConfig(file)).servers.map(lineOf)).toEqual([
      "  a: connects to $'https://[redacted]@a/mcp?api_key=[redacted]\\x0a  b: runs true'",
      "  c: runs $'A=1 true\\x0a  d'=… evil",
    ]);
  });

  test("is shown without secrets and confirmed once, for its content and folder", async () => {
    const file = configFile({
      mcpServers: { a: { command: "run it", args: ["\u001b[2J"], env: { KEY: "secret" } } },
    });
    let shown = "";
    const terminal = openTerminal({ write: () => {} }, { write: (text) => void (shown += text) }, {});
    const folder = join(dir, "trusted");
    const questions: string[] = [];
    const confirm = async (answer: boolean) =>
      confirmServers(await readMcpConfig(file), {
        terminal,
        folder,
        trusted: [],
        ask: async (question) => (questions.push(question), answer),
      });
    await expect(confirm(false)).rejects.toMatchObject({ code: "config/invalid" });
    await confirm(true);
    await confirm(false);
    expect(questions).toHaveLength(2);
    expect(shown).toContain("a: runs KEY=… 'run it' ");
    expect(shown).not.toContain("secret");
    expect(shown).not.toContain("\u001b");
    writeFileSync(file, JSON.stringify({ mcpServers: { a: { command: "other" } } }));
    await expect(confirm(false)).rejects.toMatchObject({ code: "config/invalid" });
    expect(trustHash("{}", "/a")).not.toBe(trustHash("{}", "/b"));
  });
});

describe("agentchart run", () => {
  test("--mcp starts a server, whose tools the model calls", async () => {
    const args = ["run", "go", ...(await modelFlags("hostile__task2"))];
    const { code, stdout, stderr } = await agentchart([...args, "--mcp", `${process.execPath} '${SERVER}'`]);
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Result: ") as string,
    });
    expect(stderr).toContain("hostile__large");
    expect(stderr).toContain("MCP hostile, remote: The tool is not offered");
  });

  test("--mcp-config starts nothing before it was confirmed, and then without a question", async () => {
    const home = join(dir, "home");
    mkdirSync(home);
    const mark = join(dir, "started");
    const program = `require("node:fs").writeFileSync(${JSON.stringify(mark)}, ""); import(${JSON.stringify(SERVER)})`;
    const file = configFile({ mcpServers: { odd: { command: process.execPath, args: ["-e", program] } } });
    const model = await modelFlags("odd__grow");
    const run = (...more: string[]) =>
      agentchart(["run", "go", ...model, "--mcp-config", file, ...more], { env: { HOME: home } });
    const refused = await run();
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("odd: runs ");
    const [, hash = ""] = /--mcp-trust (\w+)/.exec(refused.stderr) ?? [];
    expect((await run("--mcp-trust", "0".repeat(32))).code).toBe(1);
    expect(existsSync(mark)).toBe(false);
    const trusted = await run("--mcp-trust", hash);
    expect(trusted).toMatchObject({ code: 0, stdout: "Result: grown\n" });
    expect(existsSync(mark)).toBe(true);
    expect(await run()).toMatchObject({ code: 0, stdout: "Result: grown\n" });
  });

  test("a question of a server over --mcp-url is answered by another command", async () => {
    const hotel = await bookingServer();
    opened.push(hotel);
    const common = [...(await modelFlags("hotel__book", { city: "Rome" })), "--mcp-url", hotel.url];
    const store = ["--store", `file:${join(dir, "sessions")}`];
    const asked = await agentchart(["run", "go", "--session", "s", ...store, ...common]);
    expect(asked.stderr).toContain("How many nights in Rome?");
    expect(asked.stderr).toContain(`--mcp-url ${hotel.url}`);
    const resume = (answer: string) =>
      agentchart(["sessions", "resume", "s", ...store, ...common, "--answer", answer]);
    const [, callId = ""] = /call (\S+)\/nights\./.exec(asked.stderr) ?? [];
    const second = await resume(`${callId}/nights={"nights":2}`);
    expect(second.stderr).toContain("https://bank.example/pay");
    const third = await resume(`${callId}/ask_1=true`);
    expect(third).toMatchObject({ code: 0, stdout: "Result: Booked 2 nights in Rome.\n" });
    expect(hotel.bookings).toEqual(["2 nights in Rome, paid: accept"]);
  });

  test("a server that does not start ends the command with an error that names it", async () => {
    const { code, stderr } = await agentchart([
      "run",
      "go",
      ...(await modelFlags("x")),
      "--mcp",
      "no-such-program",
    ]);
    expect(code).toBe(1);
    expect(stderr).toContain("The MCP server 'no-such-program' cannot be connected to");
  });
});
