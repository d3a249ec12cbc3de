// The help of every command, and its examples.
import { execFileSync } from "node:child_process";
import packageJson from "agentchart/package.json" with { type: "json" };
import { describe, expect, test } from "vitest";
import * as main from "../../src/cli/definitions.ts";
import * as dev from "../../src/cli/dev/definitions.ts";
import * as sessions from "../../src/cli/sessions/definitions.ts";
import * as workers from "../../src/cli/workers/definitions.ts";
import { agentchart } from "./agentchart.ts";
import { allCommands, helpOf, openProgram } from "./program.ts";

// Every test starts a process, on machines that are busy with other tests.

const names = allCommands().map(({ path }) => path.split(" ").slice(1).join(" "));

describe("--help", () => {
  test.for(names)("of '%s' prints the help on stdout and exits with 0", async (name) => {
    const finished = await agentchart([...name.split(" ").filter(Boolean), "--help"]);
    expect(finished).toEqual({ code: 0, stdout: helpOf(name), stderr: "" });
  });

  test.for([
    [["-h"], ""],
    [["help"], ""],
    [["help", "run"], "run"],
    [["help", "--help"], "help"],
    [["help", "sessions"], "sessions"],
    [["help", "sessions", "ls"], "sessions ls"],
    [["run", "q", "-h", "--json"], "run"],
    [["sessions", "show", "-h"], "sessions show"],
  ] as const)("is printed for %j", async ([args, name]) => {
    expect(await agentchart(args)).toEqual({ code: 0, stdout: helpOf(name), stderr: "" });
  });

  test("has the arguments, flags with defaults, examples and exit codes of a command", () => {
    expect(helpOf("sessions fork")).toMatchInlineSnapshot(`
      "Usage: agentchart sessions fork [options] <id>

      Start new sessions from a position of another one, which does not change

      Arguments:
        id                   id of the session; one that begins with a dash goes after
                             --

      Options:
        --at <N>             after this journal position; "sessions show" prints the
                             one after each message
        --before <N>         before the step that wrote this journal position, so that
                             it happens again
        --as <ID>            id of the new session (default: random); with --times,
                             ID-1, ID-2 and so on
        --edit <FILE>        change what the JSON of this file says, or of stdin with
                             -
        --times <N>          how many forks, at most 100 (default: 1)
        --run                run the forks, one after another, with the agent of the
                             flags
        --results <KIND>     with --run: repeat the recorded results of tools, or
                             really run them (choices: "recorded", "live")
        --model <NAME>       model, or PROVIDER/NAME of an AI SDK provider (default:
                             gpt-4.1-mini at OpenAI, qwen-plus at DashScope)
        --base-url <URL>     server with the Chat Completions API
        --tools <FILE>       file that exports tools (repeatable)
        --mcp <COMMAND>      MCP server to start and speak to over stdio, such as "npx
                             -y SERVER" (repeatable)
        --mcp-url <URL>      MCP server to connect to over HTTP (repeatable)
        --mcp-config <FILE>  file that names MCP servers; no file is read without this
                             flag (repeatable)
        --mcp-trust <HASH>   confirm the file of --mcp-config with this hash, which
                             the refusal prints (repeatable)
        --system <TEXT>      system prompt
        --skills <DIR>       directory with a folder for each skill, as agentskills.io
                             describes them (repeatable)
        --max-iters <N>      model calls of a turn before it is summarized (default:
                             10)
        --store <STORE>      store of the sessions (default:
                             file:~/.agentchart/sessions)
        --json               print JSON in a terminal too; elsewhere it is the default
        --debug              print the stack trace of an error
        -h, --help           print this help

      Examples:
        agentchart sessions fork trip --at 7 --as trip-2
        agentchart sessions fork trip --before 9 --edit changes.json --times 3 --run --results recorded --tools tools.ts

      Environment:
        OPENAI_API_KEY     key for OpenAI, or for the server of --base-url
        OPENAI_BASE_URL    default of --base-url; a server such as Ollama needs no key
        DASHSCOPE_API_KEY  key for DashScope, which is used if neither of the above is set
        NO_COLOR           disables colors, which are used in terminals only

      Tools:
        --run asks the model again. If a tool acts each time it runs, say with --results what calls do. With "recorded" no tool
        runs: a call that was recorded with the same arguments has its result, and another one waits for a result.

      MCP servers:
        Their tools are called SERVER__TOOL. --mcp-config reads { "mcpServers": { "NAME": { "command", "args", "env", "cwd" }
        or { "url", "headers" } } }. What a file names is shown and must be confirmed, once for its content and the current folder;
        without a terminal, --mcp-trust HASH confirms it. Needs the package @modelcontextprotocol/client.

      Stores:
        file:DIR, sqlite:PATH, postgres://USER@HOST/DATABASE or partitions:FILE

      Position:
        One of --at and --before. With --at the fork begins at the end of the step that wrote the position, with --before
        before that step. Its output says where.

      Changes:
        An object with some of these fields; "sessions show --json" prints the ids:
          "system": "TEXT"                     the system prompt
          "messages": { "ID": "TEXT" }         a text, an array of blocks, or null to remove the message
          "results": { "CALL": "TEXT" }        the result of a call; an open call does not run
          "arguments": { "CALL": { … } }       the arguments of a call; an open call runs with them
          "tools": ["NAME"]                    the tools that are left
          "model": "NAME"                      the model that is asked
          "options": { "temperature": 0 }      options of the model; null leaves one to the provider

      Exit codes:
        0    success
        1    failure
        2    wrong usage
      "
    `);
  });

  test.for([
    ...Object.values(main),
    ...Object.values(dev),
    ...Object.values(sessions),
    ...Object.values(workers),
  ])("has only examples of $name that the command accepts", ({ name, examples }) => {
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) {
      const [command = ""] = example.split(/ [<>] /);
      const words = execFileSync("sh", ["-c", `printf '%s\\0' ${command}`], { encoding: "utf8" });
      const args = words.split("\0").slice(0, -1);
      const { program } = openProgram();
      const found = program.find(args);
      expect(found.path).toBe(`agentchart ${name}`);
      const { operands, unknown } = found.parseOptions(args.slice(name.split(" ").length));
      expect([unknown, operands.length <= (name === "help" ? 2 : 1)]).toEqual([[], true]);
    }
  });
});

test("--version prints the version of the package", async () => {
  expect(await agentchart(["--version"])).toEqual({
    code: 0,
    stdout: `${packageJson.version}\n`,
    stderr: "",
  });
});

describe("A process of the program", () => {
  const PRINT_LOADED =
    "data:text/javascript," +
    encodeURIComponent(`import { registerHooks } from "node:module";
registerHooks({ load(url, context, next) { process.stderr.write("loaded " + url + "\\n"); return next(url, context); } });`);

  async function loadedBy(...args: readonly string[]): Promise<readonly string[]> {
    const { stderr } = await agentchart(args, { isSource: true, node: ["--import", PRINT_LOADED] });
    return [...stderr.matchAll(/^loaded file:.*\/(?:(src|machines)\/|node_modules\/)(.*)$/gm)].map(
      ([, root, path]) => (root ? `${root}/${path}` : path!),
    );
  }

  test("loads no command for --help", async () => {
    const loaded = await loadedBy("--help");
    expect(loaded.filter((path) => path.startsWith("src/cli/")).length).toBeGreaterThan(5);
    expect(
      loaded.filter(
        (path) => !/^(src\/(cli|core\/base|store)|commander)\/|^src\/core\/message\/types\.ts$/.test(path),
      ),
    ).toEqual([]);
    expect(loaded.filter((path) => path.endsWith("-command.ts") && !path.endsWith("cli-command.ts"))).toEqual(
      ["src/cli/define-command.ts"],
    );
  });

  test("loads neither the server, the worker nor the inspector for run", async () => {
    const loaded = await loadedBy("run", "q", "--base-url", "http://127.0.0.1:9/v1");
    expect(loaded).toContain("src/agent/create-agent.ts");
    expect(
      loaded.filter((path) => /^(src\/(server|worker|inspect)|hono|pino|prom-client|ws|elkjs)\//.test(path)),
    ).toEqual([]);
  });
});
