import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import {
  chatCompletionsServer,
  type ChatCompletionsResponder,
} from "../../src/testing/chat-completions-server.ts";
import { agentchart, TOOLS, type Finished, type Surroundings } from "./agentchart.ts";

// Every test starts a process, on machines that are busy with other tests.
vi.setConfig({ testTimeout: 60_000 });

const folder = mkdtempSync(join(tmpdir(), "agentchart-cli-"));
afterAll(() => rmSync(folder, { recursive: true }));

function written(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** The one line that the program says about what is wrong. */
function lineOf({ stdout, stderr }: Finished): string {
  expect(stdout).toBe("");
  expect(stderr.match(/\n/g)).toHaveLength(1);
  expect(stderr).not.toMatch(/\n\s+at /);
  return stderr.trimEnd();
}

describe("A command line that is wrong exits with 2 and one line", () => {
  test.for([
    [
      [],
      'Say what to do: agentchart run, sessions, inspect, chart, worker, serve or dead. See "agentchart --help".',
    ],
    [["rnu"], 'There is no command "rnu". Did you mean "run"? See "agentchart --help".'],
    [["--vresion"], 'There is no flag "--vresion". Did you mean "--version"? See "agentchart --help".'],
    [["run"], 'What is the question? agentchart run "<question>" See "agentchart run --help".'],
    [["run", "what", "is"], 'More than one question: put it in quotes. See "agentchart run --help".'],
    [
      ["run", "q", "--modle", "m"],
      'There is no flag "--modle". Did you mean "--model"? See "agentchart run --help".',
    ],
    [
      ["run", "q", "--iters", "3"],
      'There is no flag "--iters". Did you mean "--max-iters"? See "agentchart run --help".',
    ],
    [["run", "q", "--xyzzy"], 'There is no flag "--xyzzy". See "agentchart run --help".'],
    [["run", "q", "--model"], '"--model" needs a value. See "agentchart run --help".'],
    [["run", "q", "--model", "--json"], '"--model" needs a value. See "agentchart run --help".'],
    [["run", "q", "--json=yes"], '"--json" takes no value. See "agentchart run --help".'],
    [
      ["run", "q", "--max-iters", "1.5"],
      '"--max-iters" must be a whole number from 1, not "1.5". See "agentchart run --help".',
    ],
    [
      ["run", "q", "--base-url", "localhost"],
      '"localhost" is no URL of a server: it must look like http://localhost:11434/v1. See "agentchart run --help".',
    ],
    [
      ["run", "q", "--base-url", "http://localhost:1/v1"],
      'Which model of localhost:1? Name it with --model. See "agentchart run --help".',
    ],
    [["run", "q", "--store", "file:x"], '"--store" needs "--session". See "agentchart run --help".'],
    [
      ["run", "", "--session", "s"],
      'What is the question? agentchart run "<question>" See "agentchart run --help".',
    ],
    [
      ["run", "q", "--session", "s", "--store", "postgress://me:secret@h/db"],
      'There is no such store: say --store file:DIR, sqlite:PATH or postgres://…, not "postgress://me:***@h/db". ' +
        'See "agentchart run --help".',
    ],
    [["session"], 'There is no command "session". Did you mean "sessions"? See "agentchart --help".'],
    [
      ["sessions"],
      "Say what to do: agentchart sessions ls, show, resume, fork, export, import or rm. " +
        'See "agentchart sessions --help".',
    ],
    [
      ["sessions", "shwo"],
      'There is no command "sessions shwo". Did you mean "sessions show"? See "agentchart sessions --help".',
    ],
    [["sessions", "ls", "x"], '"x" is one word too many. See "agentchart sessions ls --help".'],
    [
      ["sessions", "ls", "--phase", "stoped"],
      'There is no phase "stoped". Did you mean "stopped"? See "agentchart sessions ls --help".',
    ],
    [
      ["sessions", "ls", "--limit", "0"],
      '"--limit" must be a whole number from 1, not "0". See "agentchart sessions ls --help".',
    ],
    [
      ["sessions", "show"],
      'Which session? agentchart sessions show <id> See "agentchart sessions show --help".',
    ],
    [
      ["sessions", "fork", "s"],
      'At which position? "agentchart sessions show" lists them, --at names one. ' +
        'See "agentchart sessions fork --help".',
    ],
    [
      ["sessions", "rm", "s"],
      'There is nobody to ask: say --yes to delete it. See "agentchart sessions rm --help".',
    ],
    [
      ["chart"],
      'In which format? Say --format svg, --format mermaid or --format json. See "agentchart chart --help".',
    ],
    [
      ["chart", "--format", "svg", "--layout", "round"],
      'There is no layout "round". Say --layout portrait or --layout landscape. See "agentchart chart --help".',
    ],
    [
      ["chart", "--format", "json", "--theme", "dark"],
      '"--theme" is for --format svg. See "agentchart chart --help".',
    ],
    [
      ["chart", "--format", "jsn"],
      'There is no format "jsn". Did you mean "json"? See "agentchart chart --help".',
    ],
  ] as const)("%j", async ([args, line]) => {
    const finished = await agentchart(args);
    expect(lineOf(finished)).toBe(`agentchart: ${line}`);
    expect(finished.code).toBe(2);
  });
});

test.for(["file", "sqlite"])(
  "a %s store that is not there is not made by who looks into it",
  async (kind) => {
    const path = join(folder, `typo-${kind}`);
    const finished = await agentchart(["sessions", "ls", "--store", `${kind}:${path}`]);
    expect(lineOf(finished)).toMatch(`agentchart: There is no store at ${path}.`);
    expect(finished.code).toBe(2);
    expect(existsSync(path)).toBe(false);
  },
);

describe("A tools file that gives no tools exits with 1 and one line that names it", () => {
  const toolsLine = async (file: string): Promise<string> => {
    const env = { OPENAI_API_KEY: "sk-none-1234" };
    const finished = await agentchart(["run", "q", "--tools", file], { env });
    expect(finished.code).toBe(1);
    return lineOf(finished);
  };

  test("that is missing", async () => {
    const file = join(folder, "missing.ts");
    expect(await toolsLine(file)).toBe(`agentchart: There is no tools file ${file}: check --tools.`);
  });

  test("that does not compile", async () => {
    const file = written("broken.ts", "export const a = 1;\nexport const b: string = ;\n");
    expect(await toolsLine(file)).toMatch(
      /^agentchart: \S*broken\.ts:2 does not compile: Expression expected\.$/,
    );
  });

  test("that needs what Node cannot strip", async () => {
    const file = written("enum.ts", "enum A { x }\nexport default [A];\n");
    expect(await toolsLine(file)).toMatch(/enum\.ts:1 does not compile: TypeScript enum is not supported/);
  });

  test("that imports a package or a file that is not there", async () => {
    const noPackage = written("no-package.ts", 'import "no-such-package";\n');
    expect(await toolsLine(noPackage)).toContain(
      'imports the package "no-such-package", which is not there: run "npm install no-such-package".',
    );
    const noFile = written("no-file.ts", 'import "./nowhere.ts";\n');
    expect(await toolsLine(noFile)).toContain("imports a file that is not there");
  });

  test("that throws", async () => {
    expect(await toolsLine(TOOLS.throws)).toMatch(
      /throws\.ts failed while it was loaded: no database at localhost\.$/,
    );
  });

  test("that exports none, or a list with a stranger", async () => {
    expect(await toolsLine(TOOLS.noTools)).toMatch(
      /no-tools\.ts exports no tools: export them by name or as "export default \[\.\.\.\]", made with defineTool\(\)\.$/,
    );
    expect(await toolsLine(TOOLS.halfAList)).toMatch(
      /^agentchart: Entry 2 of the default export of \S+half-a-list\.ts is no tool: make it with defineTool\(\)\.$/,
    );
  });
});

describe.concurrent("A model that cannot be asked exits with 1 and a last line that says what to do", () => {
  test("no key and no server", async () => {
    const finished = await agentchart(["run", "q"]);
    expect(lineOf(finished)).toMatch(
      /^agentchart: There is no model to ask: set OPENAI_API_KEY or DASHSCOPE_API_KEY, or name a server/,
    );
    expect(finished.code).toBe(1);
  });

  async function lastLine(
    respond: ChatCompletionsResponder,
    surroundings: Surroundings & { readonly flags?: readonly string[] } = {},
  ): Promise<string> {
    const server = await chatCompletionsServer(respond);
    const flags = surroundings.flags ?? [];
    const finished = await agentchart(
      ["run", "q", "--base-url", server.baseURL, "--model", "gpt-x", ...flags],
      surroundings,
    );
    await server.close();
    expect(finished.code).toBe(1);
    expect(finished.stderr).not.toMatch(/\n\s+at /);
    return finished.stderr.trimEnd().split("\n").at(-1)!;
  }

  test("an unknown model name", async () => {
    const line = await lastLine(() => ({
      status: 404,
      message: "The model `gpt-x` does not exist",
      code: "model_not_found",
    }));
    expect(line).toMatch(
      /^agentchart: 127\.0\.0\.1:\d+ does not know the model "gpt-x": check its name\..* The model is chosen with --model/,
    );
  });

  test("a key that is refused, which is not printed", async () => {
    const env = { OPENAI_API_KEY: "sk-secret-123456" };
    const line = await lastLine(() => ({ status: 401, message: "Incorrect API key sk-secret-123456" }), {
      env,
    });
    expect(line).toMatch(/^agentchart: Access to model "gpt-x" at \S+ was refused.* OPENAI_API_KEY/);
    expect(line).not.toContain("secret");
  });

  test("a server that is not there", async () => {
    const server = await chatCompletionsServer(() => ({ content: "" }));
    await server.close();
    const finished = await agentchart(["run", "q", "--base-url", server.baseURL, "--model", "m"]);
    expect(finished.code).toBe(1);
    expect(finished.stderr).toContain("Trying again in");
    expect(finished.stderr.trimEnd().split("\n").at(-1)).toMatch(
      /^agentchart: No connection to model "m" at \S+: is the server running.* --base-url or OPENAI_BASE_URL\.$/,
    );
  });

  test("an answer that is malformed", async () => {
    const line = await lastLine(() => ({ content: "abc", fault: { kind: "malformed", afterChunks: 0 } }));
    expect(line).toMatch(
      /^agentchart: The answer of model "gpt-x" at \S+ contains something that is not JSON.*Chat Completions server/,
    );
  });

  test("--debug adds the stack and never the key", async () => {
    const env = { OPENAI_API_KEY: "sk-secret-123456" };
    const server = await chatCompletionsServer(() => ({ status: 400, message: "bad sk-secret-123456" }));
    const flags = ["--base-url", server.baseURL, "--model", "m", "--debug"];
    const { code, stderr } = await agentchart(["run", "q", ...flags], { env });
    await server.close();
    expect(stderr).toMatch(/\n\s+at /);
    expect(stderr).not.toContain("secret");
    expect(code).toBe(1);
  });
});

test("A Node that is too old is told so in one line before anything else is loaded", async () => {
  const old = 'data:text/javascript,Object.defineProperty(process,"versions",{value:{node:"22.17.1"}})';
  const finished = await agentchart(["--version"], { node: ["--import", old] });
  expect(lineOf(finished)).toMatch(
    /^agentchart runs on Node >= 22\.18, but this is v\S+ \(.+\)\. Install Node 24\.$/,
  );
  expect(finished.code).toBe(1);
});
