// Completion in shells knows every command and option.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { allCommands, openProgram } from "./program.ts";

async function script(shell: "bash" | "zsh" | "fish"): Promise<string> {
  const { program, stdout } = openProgram();
  await program.parseAsync(["completion", shell], { from: "user" });
  return stdout();
}

const isInstalled = (shell: string): boolean => spawnSync(shell, ["--version"]).status === 0;

describe("The completion of bash", () => {
  /** The completions of the last word, as bash asks for them when the user presses the tab key. */
  async function complete(...words: readonly string[]): Promise<readonly string[]> {
    const press = `COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); _agentchart; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const args = ["--norc", "-uc", `${await script("bash")}\n${press}`, "bash", "agentchart", ...words];
    return execFileSync("bash", args, { encoding: "utf8" }).split("\n").filter(Boolean);
  }

  test("completes the commands", async () => {
    expect(await complete("")).toEqual([
      "run",
      "sessions",
      "audit",
      "memory",
      "knowledge",
      "eval",
      "experiment",
      "dev",
      "doctor",
      "inspect",
      "acp",
      "check",
      "crashtest",
      "chart",
      "worker",
      "serve",
      "mcp",
      "dead-letters",
      "schedules",
      "help",
      "completion",
    ]);
    expect(await complete("s")).toEqual(["sessions", "serve", "schedules"]);
    expect(await complete("sessions", "")).toEqual([
      "ls",
      "search",
      "suspicions",
      "show",
      "resume",
      "break",
      "plan",
      "compact",
      "fork",
      "export",
      "import",
      "rm",
      "move",
      "prune",
      "overview",
      "label",
      "labels",
      "test",
    ]);
    expect(await complete("dead-letters", "r")).toEqual(["retry"]);
  });

  test.for(allCommands().map(({ path, options }) => [path, options.map(({ long }) => long)] as const))(
    "completes the flags of '%s'",
    async ([path, flags]) => {
      expect(await complete(...path.split(" ").slice(1), "--")).toEqual([...flags, "--help"]);
    },
  );

  test("completes the values of a flag and of an argument that has choices", async () => {
    expect(await complete("chart", "--format", "")).toEqual(["svg", "mermaid", "json", "xstate"]);
    expect(await complete("sessions", "ls", "--phase", "s")).toEqual(["stopped", "suspended"]);
    expect(await complete("completion", "")).toEqual(["bash", "zsh", "fish"]);
  });

  test("completes the value behind an equals sign, which bash reads as a word", async () => {
    expect(await complete("chart", "--theme", "=")).toEqual(["light", "dark"]);
    expect(await complete("chart", "--theme", "=", "d")).toEqual(["dark"]);
  });

  test("leaves other values and arguments to file names", async () => {
    expect(await complete("run", "--tools", "--")).toEqual([]);
    expect(await complete("sessions", "import", "")).toEqual([]);
    expect(await script("bash")).toContain("complete -o default -F _agentchart agentchart\n");
  });

  test("takes the value of a flag for a value although a command has its name", async () => {
    expect(await complete("run", "--session", "sessions", "--ba")).toEqual(["--base-url"]);
  });
});

describe.each([
  ["zsh", "-n"],
  ["fish", "--no-execute"],
] as const)("The completion of %s", (shell, checkOnly) => {
  test("names every command and every flag", async () => {
    const text = await script(shell);
    for (const { path, options } of allCommands()) {
      const name = path
        .split(" ")
        .slice(1)
        .map((word) => ` ${word}`)
        .join("");
      expect(text).toContain(name ? `'${name}'` : "''");
      for (const { long } of options)
        expect(text).toContain(shell === "zsh" ? `'${long}:` : ` -l ${long!.slice(2)} `);
    }
    expect(text).not.toContain("undefined");
  });

  test("is a script that the shell accepts", async ({ skip }) => {
    if (!isInstalled(shell)) return skip(`${shell} is not installed`);
    const folder = mkdtempSync(join(tmpdir(), "agentchart-completion-"));
    writeFileSync(join(folder, "script"), await script(shell));
    execFileSync(shell, [checkOnly, join(folder, "script")]);
  });
});

test("zsh completes commands, flags and values", async ({ skip }) => {
  if (!isInstalled("zsh")) return skip("zsh is not installed");
  const builtins = `compdef() {}; compset() {}; _files() { print files }; _describe() { print -l -- \${(P)2} }`;
  const text = `${builtins}\n${await script("zsh")}\nwords=("$@") CURRENT=$# PREFIX="\${@[-1]}"; _agentchart`;
  const complete = (...words: readonly string[]): string[] =>
    execFileSync("zsh", ["-f", "-c", text, "zsh", "agentchart", ...words], { encoding: "utf8" })
      .trim()
      .split("\n")
      .map((each) => each.split(":")[0]!);
  expect(complete("dead-letters", "")).toEqual(["ls", "retry"]);
  expect(complete("chart", "--theme", "")).toEqual(["light", "dark"]);
  expect(complete("chart", "--theme=")).toEqual(["light", "dark"]);
  expect(complete("completion", "-")).toEqual(["--debug", "--help"]);
  expect(complete("sessions", "import", "")).toEqual(["files"]);
});

test("fish completes commands, flags and values", async ({ skip }) => {
  if (!isInstalled("fish")) return skip("fish is not installed");
  const text = await script("fish");
  const complete = (line: string): string[] =>
    execFileSync(
      "fish",
      ["--no-config", "-c", `${text}\ncomplete -C ${JSON.stringify(`agentchart ${line}`)}`],
      { encoding: "utf8" },
    )
      .split("\n")
      .filter(Boolean)
      .map((each) => each.split("\t")[0]!);
  expect(complete("dead-letters ")).toEqual(["ls", "retry"]);
  expect(complete("chart --theme ")).toEqual(["dark", "light"]);
  expect(complete("sessions rm --y")).toEqual(["--yes"]);
});
