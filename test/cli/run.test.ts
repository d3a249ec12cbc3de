// The command `run`: streams, signals and exit codes.
import { afterEach, describe, expect, test } from "vitest";
import type { AgentEvent } from "agentchart";
import {
  chatCompletionsServer,
  type ChatCompletionsResponder,
  type ChatCompletionsServer,
} from "../../src/testing/chat-completions-server.ts";
import { agentchart, start, TOOLS } from "./agentchart.ts";
import { temporaryFolder, writePlainSkill, writeSkill } from "../support/skill-folder.ts";

const WAITING_JSON = ["--json", "--tools", TOOLS.waiting];

// Every test starts a process, on machines that are busy with other tests.

const servers: ChatCompletionsServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(respond: ChatCompletionsResponder): Promise<ChatCompletionsServer> {
  const server = await chatCompletionsServer(respond);
  servers.push(server);
  return server;
}

const at = ({ baseURL }: ChatCompletionsServer): string[] => ["--base-url", baseURL, "--model", "m"];

/** A model that calls the tool and then repeats its result. */
function callThenRepeat(name: string, input: object): ChatCompletionsResponder {
  return ({ messages }) => {
    const last = messages.at(-1)!;
    return last.role === "tool"
      ? { content: `Result: ${last.content as string}` }
      : { content: "One moment.", tool_calls: [{ function: { name, arguments: JSON.stringify(input) } }] };
  };
}

describe("agentchart run", () => {
  test("prints the answer on stdout, everything else on stderr, and exits with 0", async () => {
    const server = await serve(() => ({ content: "Paris is the capital." }));
    const { code, stdout, stderr } = await agentchart(["run", "Capital of France?", ...at(server)]);
    expect(stdout).toBe("Paris is the capital.\n");
    expect(stderr).toMatch(/^m at 127\.0\.0\.1:\d+\n/);
    expect(stderr).toMatch(/MODEL_STOP · 1 model call · 0 tool calls · \d+ tokens in, \d+ out · \d/);
    expect(code).toBe(0);
    expect(server.requests[0]?.messages.at(-1)).toMatchObject({
      role: "user",
      content: "Capital of France?",
    });
  });

  test("runs tools of a file and keeps what they print off stdout", async () => {
    const server = await serve(callThenRepeat("weather", { city: "Paris" }));
    const args = ["run", "Weather?", ...at(server), "--tools", TOOLS.weather];
    const { code, stdout, stderr } = await agentchart(args);
    expect(stdout).toBe("One moment.\nResult: Sunny in Paris\n");
    expect(stderr).toContain('→ weather {"city":"Paris"}\n');
    expect(stderr).toMatch(/← weather success, \d+ ms: Sunny in Paris\n/);
    expect(stderr).toContain("called: this must not reach stdout\n");
    expect(stderr).not.toContain("Warning");
    expect(code).toBe(0);
    expect(server.requests[0]?.tools?.map((tool) => tool.function.name)).toEqual(["weather"]);
  });

  test("offers the skills of a directory, and warns of those that are left out", async () => {
    const dir = temporaryFolder();
    writePlainSkill(dir, "invoices", "", "Add 20 %.");
    writeSkill(dir, "broken", "name: other");
    const server = await serve(callThenRepeat("load_skill", { name: "invoices" }));
    const { code, stdout, stderr } = await agentchart(["run", "Bill it.", ...at(server), "--skills", dir]);
    expect(stderr).toMatch(/Skill left out: .*broken: `description` is missing/);
    expect([code, stdout]).toEqual([0, expect.stringContaining("Add 20 %.")]);
    expect(JSON.stringify(server.requests[0]?.messages[0])).toContain("- invoices: How to do invoices.");
  });

  test.each([
    ["a pipe", []],
    ["-", ["-"]],
  ])("reads the question from stdin, given by %s", async (_, question) => {
    const server = await serve(() => ({ content: "Paris." }));
    const { code, stdout } = await agentchart(["run", ...question, ...at(server)], {
      stdin: "Capital\nof France?\n",
    });
    expect([code, stdout]).toEqual([0, "Paris.\n"]);
    expect(server.requests[0]?.messages.at(-1)).toMatchObject({ content: "Capital\nof France?" });
  });

  test.each([
    ["an unknown tool", "whether", {}, /\n→ whether \{\}\n← whether error: .*whether/],
    [
      "wrong input",
      "weather",
      { city: 5 },
      /\n· acting\n→ weather \{"city":5\}\n· reasoning\n← weather error, \d+ ms: .*city/,
    ],
  ])("prints a refused call of %s once, with its input and the reason", async (_, name, input, printed) => {
    const server = await serve(callThenRepeat(name, input));
    const { code, stderr } = await agentchart(["run", "q", ...at(server), "--tools", TOOLS.weather]);
    expect(stderr).toMatch(printed);
    expect(stderr.match(/→/g)).toHaveLength(1);
    expect(code).toBe(0);
  });

  test("loads the tools of a default export and of a second file", async () => {
    const server = await serve(() => ({ content: "ok" }));
    const files = ["--tools", TOOLS.defaultExport, "--tools", TOOLS.weather];
    expect((await agentchart(["run", "q", ...at(server), ...files])).code).toBe(0);
    const names = server.requests[0]?.tools?.map((tool) => tool.function.name);
    expect(names?.toSorted()).toEqual(["clock", "lookup", "weather"]);
  });

  test("sends the system prompt and stops at the iteration limit with a summary", async () => {
    const server = await serve(({ tools, messages }) =>
      tools && messages.length < 8
        ? { tool_calls: [{ function: { name: "clock", arguments: "{}" } }] }
        : { content: "Summed up." },
    );
    const limits = ["--max-iters", "2", "--system", "Be brief.", "--tools", TOOLS.defaultExport];
    const { code, stdout, stderr } = await agentchart(["run", "q", ...at(server), ...limits]);
    expect(stdout).toBe("Summed up.\n");
    expect(stderr).toContain("raise --max-iters");
    expect(code).toBe(0);
    expect(server.requests[0]?.messages[0]).toMatchObject({ role: "system", content: "Be brief." });
    expect(server.requests).toHaveLength(3);
  });

  test("prints exactly one event per line with --json, and nothing else on stdout", async () => {
    const server = await serve(callThenRepeat("weather", { city: "Paris" }));
    const args = ["run", "Weather?", ...at(server), "--json", "--tools", TOOLS.weather];
    const { code, stdout } = await agentchart(args);
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as AgentEvent);
    expect(events[0]).toMatchObject({ type: "turn.start" });
    expect(events.at(-1)).toMatchObject({ type: "turn.end", reason: "MODEL_STOP" });
    expect(events.map(({ n }) => n)).toEqual(events.map(({ n }) => n).toSorted((one, other) => one - other));
    expect(events.filter(({ type }) => type === "tool.end")).toHaveLength(1);
    expect(code).toBe(0);
  });

  test("exits with 0 and prints the open calls when the turn is suspended", async () => {
    const server = await serve(callThenRepeat("lookup", { id: 7 }));
    const args = ["run", "Look it up", ...at(server), "--tools", TOOLS.defaultExport];
    const { code, stderr } = await agentchart(args);
    expect(stderr).toContain(
      'Waits for the result of lookup {"id":7} (a clerk must look it up), call call_1.\n',
    );
    expect(stderr).toContain("TOOL_SUSPENDED");
    expect(code).toBe(0);
  });

  test("reads the key and the server from the environment", async () => {
    const server = await serve(() => ({ content: "ok" }));
    const env = { OPENAI_BASE_URL: server.baseURL, OPENAI_API_KEY: "sk-test-1234" };
    expect(await agentchart(["run", "q", "--model", "m"], { env })).toMatchObject({
      code: 0,
      stdout: "ok\n",
    });
  });

  test("fails with one line when a tool leaves a promise that rejects", async () => {
    const server = await serve(callThenRepeat("leak", {}));
    const { code, stderr } = await agentchart(["run", "q", ...at(server), "--tools", TOOLS.floatingPromise]);
    expect(stderr.trimEnd().split("\n").at(-1)).toBe("agentchart: left behind.");
    expect(code).toBe(1);
  });

  test("writes no control sequence to a pipe or with NO_COLOR", async () => {
    const server = await serve(callThenRepeat("weather", { city: "Paris" }));
    const args = ["run", "q", ...at(server), "--tools", TOOLS.weather];
    for (const env of [{}, { NO_COLOR: "1" }, { FORCE_COLOR: "1" }]) {
      const { stdout, stderr } = await agentchart(args, { env });
      expect(`${stdout}${stderr}`).not.toContain("\u001b");
    }
  });
});

describe("Ctrl-C during agentchart run", () => {
  test("interrupts the turn, keeps the text so far and exits with 1", async () => {
    const server = await serve(() => ({
      content: "A first half and then nothing more of it",
      fault: { kind: "hang", afterChunks: 4 },
    }));
    const { child, printed, finished } = start(["run", "q", ...at(server)]);
    await printed("A first");
    child.kill("SIGINT");
    const { code, stdout, stderr } = await finished;
    expect(stdout).toMatch(/^A first/);
    expect(stderr).toContain("Interrupted: the answer is incomplete.\n");
    expect(code).toBe(1);
  });

  test("ends the output of --json with the event of an interrupted turn", async () => {
    const server = await serve(callThenRepeat("wait", { ignoresAbort: false }));
    const { child, printed, finished } = start(["run", "q", ...at(server), ...WAITING_JSON]);
    await printed('"tool.start"');
    child.kill("SIGINT");
    const { code, stdout } = await finished;
    const last = JSON.parse(stdout.trimEnd().split("\n").at(-1)!) as AgentEvent;
    expect(last).toMatchObject({ type: "turn.end", reason: "INTERRUPTED" });
    expect(code).toBe(1);
  });

  test("counts once when npm forwards it at the same time", async () => {
    const server = await serve(callThenRepeat("wait", { ignoresAbort: false }));
    const { child, printed, finished } = start(["run", "q", ...at(server), "--tools", TOOLS.waiting]);
    await printed("→ wait");
    child.kill("SIGINT");
    child.kill("SIGINT");
    expect((await finished).code).toBe(1);
  });

  test("exits immediately the second time, even if a tool ignores its signal", async () => {
    const server = await serve(callThenRepeat("wait", { ignoresAbort: true }));
    const { child, printed, finished } = start(["run", "q", ...at(server), ...WAITING_JSON]);
    await printed('"tool.start"');
    child.kill("SIGINT");
    await printed('"acting.executing.aborting"');
    const repeat = setInterval(() => child.kill("SIGINT"), 300);
    const { code } = await finished;
    clearInterval(repeat);
    expect(code).toBe(130);
  });
});
