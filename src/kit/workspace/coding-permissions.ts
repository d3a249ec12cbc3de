import type { Permissions } from "../../agent/options/agent-config.ts";
import * as s from "../../core/base/option-schema.ts";
import { check } from "../../core/base/options.ts";
import type { JsonObject } from "../../core/base/json.ts";
import { permissionSchema } from "../../core/tool/tool-schema.ts";
import { matchesGlob } from "./glob.ts";
import { judgeCommand, type CommandVerdict } from "./judge-command.ts";
import { namesOf } from "./paths.ts";
import type { Workspace } from "./port.ts";

/** The extent to which an agent may act without asking. `default`: it reads; a person is asked about each change and each command.
 *  `acceptEdits`: it writes files in the workspace, too. `plan`: it reads, and everything else is denied. */
export type CodingMode = "default" | "acceptEdits" | "plan";

type Rule = NonNullable<Permissions["rules"]>[number];

/** Options of {@link codingPermissions}. */
export type CodingPermissionsOptions = {
  readonly workspace: Workspace;
  /** Or a function that returns it, for an application in which a person switches. Default `default`. */
  readonly mode?: CodingMode | (() => CodingMode) | undefined;
  /** Commands that run without asking, see {@link CommandRules}. Default none. */
  readonly allow?: readonly string[] | undefined;
  /** Commands that never run. Default none. */
  readonly deny?: readonly string[] | undefined;
  /** Globs of files that are written without asking, such as `src/**`; paths from the root. Default none. */
  readonly edits?: readonly string[] | undefined;
  /** More rules, for other tools. */
  readonly rules?: readonly Rule[] | undefined;
  /** The permission for calls that no rule is about. Default `allow`. */
  readonly otherwise?: Permissions["otherwise"] | undefined;
  /** After so many ms without a decision a call is denied. Default: never. */
  readonly expiresAfterMs?: number | undefined;
};

const MODES = ["default", "acceptEdits", "plan"] as const;

/** The schema of {@link CodingPermissionsOptions}. */
export const codingPermissionsSchema = s.lazily(() =>
  s.options<CodingPermissionsOptions>(
    {
      workspace: s.having("list", "a workspace, such as folderWorkspace() opens"),
      mode: s.optional(
        s.either(
          s.oneOf(...MODES),
          s.func<() => CodingMode>(),
          '"default", "acceptEdits", "plan" or a function',
        ),
      ),
      allow: s.optional(s.listOf(s.matching(/\S/u, "a pattern of commands"))),
      deny: s.optional(s.listOf(s.matching(/\S/u, "a pattern of commands"))),
      edits: s.optional(s.listOf(s.nonEmpty("a glob of files"))),
      rules: s.optional(s.list("an array of rules")),
      otherwise: s.optional(permissionSchema()),
      expiresAfterMs: s.optional(s.positive()),
    },
    { what: "an object with `workspace`" },
  ),
);

const READING = [
  "read_file",
  "list_files",
  "glob_files",
  "grep_files",
  "view_text_file",
  "command_output",
  "command_stop",
];
const EDITING = ["write_file", "edit_file", "insert_text_file", "write_text_file"];
const RUNNING = ["run_command", "execute_shell_command"];
const PROGRAMS = ["execute_python_code"];

/** The reasons for which a person is asked about a command, in words. */
const REASONS: { readonly [because in Extract<CommandVerdict, { action: "ask" }>["because"]]: string } = {
  substitution: "The command inserts the output of another one, or a variable.",
  redirection: "The command redirects to a place that cannot be told before it runs.",
  wrapper: "The command runs another one by a wrapper such as sudo, env or sh, or sets variables.",
  ambiguous: "Shells do not agree on what the command means, or it has loops or functions.",
  outside: "The command redirects to or from a place outside of the workspace.",
  unlisted: "The command, a part of it, or a file that it writes is not one of those that are allowed.",
};

const textIn = (input: JsonObject, name: string): string =>
  typeof input[name] === "string" ? input[name] : "";

/**
 * Returns the `permissions` of an agent with {@link codingTools} or {@link agentScopeTools}. Every part of a command line must be
 * allowed; substitutions, redirections that leave the root, and wrappers such as `sudo`, `env`, `xargs` or `sh -c` are always asked
 * about, and a denied part denies the line. A person who approves a command and says `remember: "tool"` allows all later ones:
 * `remember: "input"` allows this one.
 *
 * @example
 * ```ts
 * import { createAgent } from "agentchart";
 * import { scriptedModel } from "agentchart/testing";
 * import { codingPermissions, codingTools, memoryWorkspace } from "agentchart/workspace";
 *
 * const workspace = memoryWorkspace();
 * const model = scriptedModel([{ calls: [{ name: "write_file", input: { path: "a.txt", content: "Hello" } }] }]);
 * const agent = createAgent({
 *   name: "coder",
 *   model,
 *   tools: codingTools({ workspace }),
 *   permissions: codingPermissions({ workspace, edits: ["*.md"], allow: ["npm test*"], deny: ["git push*"] }),
 * });
 * const { pending } = await agent.call("Write a file."); // a.txt is not a .md file
 * ```
 */
export function codingPermissions(options: CodingPermissionsOptions): Permissions {
  check(codingPermissionsSchema(), options, "codingPermissions");
  const {
    workspace,
    mode = "default",
    allow = [],
    deny = [],
    edits = [],
    rules = [],
    otherwise,
    expiresAfterMs,
  } = options;
  const current = typeof mode === "function" ? mode : () => mode;
  const isPlan = (): boolean => current() === "plan";

  const mayWrite = (path: string): boolean => {
    if (workspace.isProtected(path)) return false;
    if (current() === "acceptEdits") return true;
    const name = namesOf(workspace.root, path).join("/");
    return edits.some((glob) => matchesGlob(glob, name));
  };
  const asksToEdit = (input: JsonObject): boolean => {
    try {
      return !mayWrite(textIn(input, "path") || textIn(input, "file_path"));
    } catch {
      return false; // the tool refuses it
    }
  };
  const verdictOf = (input: JsonObject): CommandVerdict =>
    judgeCommand(
      textIn(input, "command"),
      { allow, deny, root: workspace.root, mayWrite },
      textIn(input, "cwd"),
    );
  const because = (reason: string) => (input: JsonObject) => {
    const verdict = verdictOf(input);
    return verdict.action === "ask" && verdict.because === reason;
  };

  const about = (tools: readonly string[], rule: Omit<Rule, "tool">): readonly Rule[] =>
    tools.map((tool) => ({ tool, optional: true, ...rule }));
  return {
    rules: [
      ...about([...EDITING, ...RUNNING, ...PROGRAMS], {
        action: "deny",
        when: isPlan,
        reason: "the agent is in plan mode, in which it only reads",
      }),
      ...about(RUNNING, {
        action: "deny",
        when: (input) => verdictOf(input).action === "deny",
        reason: "the command, or a part of it, is one of those that never run",
      }),
      ...about(EDITING, {
        action: "ask",
        when: asksToEdit,
        reason: "The agent wants to change a file.",
      }),
      ...Object.entries(REASONS).flatMap(([each, reason]) =>
        about(RUNNING, { action: "ask", when: because(each), reason }),
      ),
      ...about(PROGRAMS, { action: "ask", reason: "The agent wants to run a program." }),
      ...about([...READING, ...EDITING, ...RUNNING], { action: "allow" }),
      ...rules,
    ],
    ...(otherwise !== undefined && { otherwise }),
    ...(expiresAfterMs !== undefined && { expiresAfterMs }),
  };
}
