// Wrong command lines: one line that says what was expected, and the exit code.
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  chatCompletionsServer,
  type ChatCompletionsResponder,
} from "../../src/testing/chat-completions-server.ts";
import { agentchart, TOOLS, type Finished, type ProcessOptions } from "./agentchart.ts";

// Every test starts a process, on machines that are busy with other tests.

const folder = mkdtempSync(join(tmpdir(), "agentchart-cli-"));

function written(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** The only line of output, which is the error. */
function lineOf({ stdout, stderr }: Finished): string {
  expect(stdout).toBe("");
  expect(stderr.match(/\n/g)).toHaveLength(1);
  expect(stderr).not.toMatch(/\n\s+at /);
  return stderr.trimEnd();
}

describe("A wrong command line exits with 2 and one line", () => {
  const USE =
    "run, sessions, audit, memory, knowledge, eval, experiment, dev, doctor, inspect, acp, check, crashtest, chart, worker, serve, mcp, dead-letters, schedules, help, completion";

  test.for([
    [[], `Missing command: use ${USE}. See "agentchart --help".`],
    [["rnu"], `Unknown command 'rnu'. Did you mean 'run'? See "agentchart --help".`],
    [["help", "rnu"], `Unknown command 'rnu'. Did you mean 'run'? See "agentchart help --help".`],
    [["help", "sessions", "lss"], `Unknown command 'lss'. Did you mean 'ls'? See "agentchart help --help".`],
    [
      ["run", "-"],
      'Missing question: agentchart run "<question>", or - for stdin. See "agentchart run --help".',
    ],
    [["--vresion"], `Unknown option '--vresion'. Did you mean '--version'? See "agentchart --help".`],
    [["--json", "run"], `Unknown option '--json'. See "agentchart --help".`],
    [["run"], 'Missing question: agentchart run "<question>", or - for stdin. See "agentchart run --help".'],
    [
      ["run", "what", "is"],
      "Too many arguments for 'run'. Expected 1 argument but got 2: what, is. Quote a value that contains spaces. " +
        'See "agentchart run --help".',
    ],
    [
      ["run", "q", "--modle", "m"],
      `Unknown option '--modle'. Did you mean '--model'? See "agentchart run --help".`,
    ],
    [
      ["run", "q", "--iters", "3"],
      `Unknown option '--iters'. Did you mean '--max-iters'? See "agentchart run --help".`,
    ],
    [["run", "q", "--hlep"], `Unknown option '--hlep'. Did you mean '--help'? See "agentchart run --help".`],
    [["run", "q", "--xyzzy"], `Unknown option '--xyzzy'. See "agentchart run --help".`],
    [
      ["run", "q", "--stroe=postgres://me:secret@h/db"],
      `Unknown option '--stroe'. Did you mean '--store'? See "agentchart run --help".`,
    ],
    [["run", "q", "--model"], `Option '--model <NAME>' argument missing. See "agentchart run --help".`],
    [
      ["run", "q", "--model", "--json"],
      `Option '--model <NAME>' argument missing. See "agentchart run --help".`,
    ],
    [
      ["run", "q", "--model="],
      `Option '--model <NAME>' argument '' is invalid. It must not be empty. See "agentchart run --help".`,
    ],
    [["run", "q", "--json=yes"], `Option '--json' takes no value. See "agentchart run --help".`],
    [
      ["run", "q", "--max-iters", "1.5"],
      `Option '--max-iters <N>' argument '1.5' is invalid. It must be an integer of at least 1. ` +
        'See "agentchart run --help".',
    ],
    [
      ["run", "q", "--base-url", "localhost"],
      '"localhost" is not the URL of a server: it must look like http://localhost:11434/v1. ' +
        'See "agentchart run --help".',
    ],
    [
      ["run", "q", "--base-url", "http://localhost:1/v1"],
      'The server localhost:1 has no default model: name one with --model. See "agentchart run --help".',
    ],
    [["run", "q", "--store", "file:x"], `'--store' needs '--session'. See "agentchart run --help".`],
    [
      ["run", "", "--session", "s"],
      `Command-argument value '' is invalid for argument 'question'. It must not be empty. ` +
        'See "agentchart run --help".',
    ],
    [
      ["run", " "],
      'Missing question: agentchart run "<question>", or - for stdin. See "agentchart run --help".',
    ],
    [
      ["run", "q", "--session", "s", "--store", "postgress://me:secret@h/db"],
      'Unknown store "postgress://me:[redacted]@h/db": use --store file:DIR, sqlite:PATH, partitions:FILE or postgres://…. ' +
        'See "agentchart run --help".',
    ],
    [
      ["run", "q", "postgres://me:secret@h/db"],
      "Too many arguments for 'run'. Expected 1 argument but got 2: q, postgres://me:[redacted]@h/db. " +
        'Quote a value that contains spaces. See "agentchart run --help".',
    ],
    [["session"], `Unknown command 'session'. Did you mean 'sessions'? See "agentchart --help".`],
    [
      ["sessions"],
      'Missing command: use ls, search, suspicions, show, resume, break, plan, compact, fork, export, import, rm, move, prune, overview, label, labels, test. See "agentchart sessions --help".',
    ],
    [["sessions", "list"], `Unknown command 'list'. Did you mean 'ls'? See "agentchart sessions --help".`],
    [
      ["sessions", "delete"],
      `Unknown command 'delete'. Did you mean 'rm'? See "agentchart sessions --help".`,
    ],
    [["studio"], `Unknown command 'studio'. Did you mean 'inspect'? See "agentchart --help".`],
    [["test"], `Unknown command 'test'. Did you mean 'eval'? See "agentchart --help".`],
    [["constructor"], `Unknown command 'constructor'. See "agentchart --help".`],
    [["sessions", "shwo"], `Unknown command 'shwo'. Did you mean 'show'? See "agentchart sessions --help".`],
    [
      ["sessions", "ls", "x"],
      `Too many arguments for 'ls'. Expected 0 arguments but got 1: x. See "agentchart sessions ls --help".`,
    ],
    [
      ["sessions", "ls", "--phase", "stoped"],
      "Option '--phase <PHASE>' argument 'stoped' is invalid. Allowed choices are stopped, running, suspended, " +
        'unfinished, quarantined. See "agentchart sessions ls --help".',
    ],
    [
      ["sessions", "ls", "--limit", "0"],
      "Option '--limit <N>' argument '0' is invalid. It must be an integer of at least 1. " +
        'See "agentchart sessions ls --help".',
    ],
    [["sessions", "show"], `Missing required argument 'id'. See "agentchart sessions show --help".`],
    [
      ["sessions", "fork", "s"],
      'Expected one of --at and --before: the place at which the fork begins. See "agentchart sessions fork --help".',
    ],
    [
      ["sessions", "rm", "s"],
      "Without a terminal, the deletion cannot be confirmed: use --yes. " +
        'See "agentchart sessions rm --help".',
    ],
    [["chart"], `Required option '--format <FORMAT>' not specified. See "agentchart chart --help".`],
    [
      ["chart", "--format", "svg", "--layout", "round"],
      "Option '--layout <LAYOUT>' argument 'round' is invalid. Allowed choices are landscape, portrait. " +
        'See "agentchart chart --help".',
    ],
    [
      ["chart", "--format", "json", "--theme", "dark"],
      `'--theme' needs '--format svg'. See "agentchart chart --help".`,
    ],
    [
      ["completion", "tcsh"],
      "Command-argument value 'tcsh' is invalid for argument 'shell'. Allowed choices are bash, zsh, fish. " +
        'See "agentchart completion --help".',
    ],
  ] as const)("%j", async ([args, line]) => {
    const finished = await agentchart(args);
    expect(lineOf(finished)).toBe(`agentchart: ${line}`);
    expect(finished.code).toBe(2);
  });
});

test.for([
  ["file", "sessions", "ls"],
  ["sqlite", "sessions", "ls"],
  ["sqlite", "sessions", "resume", "trip"],
  ["sqlite", "sessions", "compact", "trip"],
  ["sqlite", "run", "--session", "trip"],
  ["sqlite", "schedules", "ls", "--queue", "memory"],
  ["sqlite", "dead-letters", "ls", "--queue", "memory"],
])(
  "A %s store that does not exist is not created by a command that reads it: %s %s",
  async ([kind, ...args]) => {
    const path = join(folder, `typo-${kind}`);
    const finished = await agentchart([...args, "--store", `${kind}:${path}`]);
    expect(lineOf(finished)).toMatch(`agentchart: There is no store at ${path}.`);
    expect(finished.code).toBe(2);
    expect(existsSync(path)).toBe(false);
  },
);

test.for([
  ["sessions", "ls"],
  ["run", "--session", "trip", "Hi"],
])("A file is no store of files: %s %s", async (args) => {
  const path = written("no-store.json", "{}");
  const finished = await agentchart([...args, "--store", `file:${path}`]);
  expect(lineOf(finished)).toMatch(`agentchart: ${path} is a file, and not the folder of a store.`);
  expect(finished.code).toBe(1);
});

describe("A tools file without tools exits with 1 and one line that names it", () => {
  const toolsLine = async (file: string): Promise<string> => {
    const env = { OPENAI_API_KEY: "sk-none-1234" };
    const finished = await agentchart(["run", "q", "--tools", file], { env });
    expect(finished.code).toBe(1);
    return lineOf(finished);
  };

  test("if it does not exist", async () => {
    const file = join(folder, "missing.ts");
    expect(await toolsLine(file)).toBe(`agentchart: The tools file ${file} does not exist.`);
  });

  test("if it does not compile", async () => {
    const file = written("broken.ts", "export const a = 1;\nexport const b: string = ;\n");
    expect(await toolsLine(file)).toMatch(
      /^agentchart: \S*broken\.ts:2 does not compile: Expression expected\.$/,
    );
  });

  test("if Node cannot strip its types", async () => {
    const file = written("enum.ts", "enum A { x }\nexport default [A];\n");
    expect(await toolsLine(file)).toMatch(/enum\.ts:1 does not compile: TypeScript enum is not supported/);
  });

  test("if it imports a package or a file that does not exist", async () => {
    const noPackage = written("no-package.ts", 'import "no-such-package";\n');
    expect(await toolsLine(noPackage)).toContain(
      'imports the package "no-such-package", which is not installed: run "npm install no-such-package".',
    );
    const noFile = written("no-file.ts", 'import "./nowhere.ts";\n');
    expect(await toolsLine(noFile)).toContain("imports a file that does not exist");
  });

  test("if it throws", async () => {
    expect(await toolsLine(TOOLS.throws)).toMatch(
      /throws\.ts:1 failed while it was loaded: no database at localhost\.$/,
    );
  });

  test("if it waits for what never comes", async () => {
    const file = written("stuck.ts", "await new Promise(() => {});\nexport default [];\n");
    expect(await toolsLine(file)).toBe(
      `agentchart: ${file} cannot be loaded: a top-level await of it never ends.`,
    );
  });

  test("if it exports no tool, or an array with another value", async () => {
    expect(await toolsLine(TOOLS.noTools)).toMatch(
      /no-tools\.ts exports no tools: export them by name or as "export default \[\.\.\.\]", made with defineTool\(\)\.$/,
    );
    expect(await toolsLine(TOOLS.mixedExport)).toMatch(
      /^agentchart: Entry 2 of the default export of \S+mixed-export\.ts is not a tool: make it with defineTool\(\)\.$/,
    );
  });
});

describe.concurrent("A model that cannot be used exits with 1 and a last line with the remedy", () => {
  test("without a key and a server", async () => {
    const finished = await agentchart(["run", "q"]);
    expect(lineOf(finished)).toMatch(
      /^agentchart: No model is configured: set OPENAI_API_KEY or DASHSCOPE_API_KEY, or name a server/,
    );
    expect(finished.code).toBe(1);
  });

  async function lastLine(
    respond: ChatCompletionsResponder,
    options: ProcessOptions & { readonly flags?: readonly string[] } = {},
  ): Promise<string> {
    const server = await chatCompletionsServer(respond);
    const flags = options.flags ?? [];
    const finished = await agentchart(
      ["run", "q", "--base-url", server.baseURL, "--model", "gpt-x", ...flags],
      options,
    );
    await server.close();
    expect(finished.code).toBe(1);
    expect(finished.stderr).not.toMatch(/\n\s+at /);
    return finished.stderr.trimEnd().split("\n").at(-1)!;
  }

  test("with an unknown name", async () => {
    const line = await lastLine(() => ({
      status: 404,
      message: "The model `gpt-x` does not exist",
      code: "model_not_found",
    }));
    expect(line).toMatch(
      /^agentchart: 127\.0\.0\.1:\d+ does not know the model "gpt-x": check its name\..* The model is set with --model/,
    );
  });

  test("with a refused key, which is not printed", async () => {
    const env = { OPENAI_API_KEY: "sk-secret-123456" };
    const line = await lastLine(() => ({ status: 401, message: "Incorrect API key sk-secret-123456" }), {
      env,
    });
    expect(line).toMatch(/^agentchart: Access to model "gpt-x" at \S+ was refused.* OPENAI_API_KEY/);
    expect(line).not.toContain("secret");
  });

  test("if the server does not exist", async () => {
    const server = await chatCompletionsServer(() => ({ content: "" }));
    await server.close();
    const finished = await agentchart(["run", "q", "--base-url", server.baseURL, "--model", "m"]);
    expect(finished.code).toBe(1);
    expect(finished.stderr).toContain("Trying again in");
    expect(finished.stderr.trimEnd().split("\n").at(-1)).toMatch(
      /^agentchart: No connection to model "m" at \S+: is the server running.* --base-url or OPENAI_BASE_URL\.$/,
    );
  });

  test("if its answer is malformed", async () => {
    const line = await lastLine(() => ({ content: "abc", fault: { kind: "malformed", afterChunks: 0 } }));
    expect(line).toMatch(
      /^agentchart: The answer of model "gpt-x" at \S+ contains something that is not JSON.*Chat Completions server/,
    );
  });

  test("with a stack trace for --debug, without the key", async () => {
    const env = { OPENAI_API_KEY: "sk-secret-123456" };
    const server = await chatCompletionsServer(() => ({
      status: 400,
      message: "bad \u001b[2J sk-secret-123456",
    }));
    const flags = ["--base-url", server.baseURL, "--model", "m", "--debug"];
    const { code, stderr } = await agentchart(["run", "q", ...flags], { env });
    await server.close();
    expect(stderr).toMatch(/\n\s+at /);
    expect(stderr).toMatch(/\nExplained in agentchart\/docs\/guide\/errors\.md#model-bad-request\n$/);
    expect(stderr).not.toContain("secret");
    expect(stderr).not.toContain("\u001b");
    expect(code).toBe(1);
  });
});

test("A Node that is too old prints one line and loads nothing", async () => {
  const old = 'data:text/javascript,Object.defineProperty(process,"versions",{value:{node:"22.17.1"}})';
  const finished = await agentchart(["--version"], { node: ["--import", old] });
  expect(lineOf(finished)).toMatch(
    /^agentchart needs Node\.js >= 22\.18; this is v22\.17\.1 \(.+\)\. Install Node\.js 24\.$/,
  );
  expect(finished.code).toBe(1);
});
