import { forEachChild, parse, type Command, type Redirection, type SyntaxNode, type Word } from "unbash";

/** The reason for which a line of shell is not judged by rules, but by a person. */
export type CommandDoubt =
  /** It runs another command, or inserts a value, that is not in the line. */
  | "substitution"
  /** It redirects to or from a place that is not a plain path. */
  | "redirection"
  /** It runs other commands by a program such as `sudo`, `env` or `xargs`, or by a shell. */
  | "wrapper"
  /** Shells do not agree on what it means, it is not whole, or it is a program of its own, with loops or functions. */
  | "ambiguous";

/** One command of a line. */
export type CommandPart = {
  /** The name and the arguments, without quotes. */
  readonly words: readonly string[];
  /** True if files decide what an argument is, as with `*.ts`. */
  readonly hasGlob: boolean;
};

/** A file that a line redirects to or from. */
export type RedirectedFile = { readonly path: string; readonly isWritten: boolean };

/** The parts of a line of shell. */
export type ShellLine = {
  /** The commands that `;`, `&&`, `||`, `|`, `&` and new lines separate. */
  readonly parts: readonly CommandPart[];
  readonly files: readonly RedirectedFile[];
  readonly doubt?: CommandDoubt;
  /** The commands that are anywhere in the line, also in substitutions and behind wrappers, as far as it can be read. A command that must
   *  not run is looked for here. */
  readonly mentioned: readonly (readonly string[])[];
};

const MAX_LENGTH = 20_000;

/** Programs and builtins that run what their arguments say, or change what later commands mean. */
const WRAPPERS = new Set(
  `. alias ash bash builtin busybox chroot chrt command coproc csh dash declare doas env eval exec export fish flock hash ionice ksh local
  nice nohup nsenter numactl parallel pkexec prlimit readonly runuser script set setpriv setsid sg sh shopt source ssh stdbuf strace su
  sudo systemd-run taskset time timeout trap tsh typeset unalias unset unshare watch xargs xonsh zsh`.split(
    /\s+/u,
  ),
);

const FIND_ACTIONS = /^-(?:exec|execdir|ok|okdir|delete|fprint|fprint0|fprintf|fls)$/u;
/** Options of git with which it runs a program, or writes to a file. */
const GIT_OPTIONS = "ext-diff extcmd textconv open-files-in-pager upload-pack receive-pack exec output".split(
  " ",
);
/** Subcommands of git that run what their arguments say. */
const GIT_RUNS = /^(?:bisect run|submodule (?:.* )?foreach|filter-branch)(?: |$)/u;

const nameOf = (word: string): string => word.slice(word.lastIndexOf("/") + 1);

function isWrapper([first = "", ...args]: readonly string[]): boolean {
  const name = nameOf(first);
  if (WRAPPERS.has(name)) return true;
  if (name === "find") return args.some((arg) => FIND_ACTIONS.test(arg));
  if (name !== "git") return false;
  const subcommand = args.findIndex((arg) => !arg.startsWith("-"));
  const own = subcommand < 0 ? args : args.slice(0, subcommand);
  if (own.some((arg) => !/^(?:--no-pager|--version|--help|-v|-h)$/u.test(arg))) return true;
  return args.some(runsByGit) || GIT_RUNS.test(args.slice(subcommand).join(" "));
}

/** True for such an option of git, which takes the beginning of a long name for the whole. */
function runsByGit(arg: string): boolean {
  const [, name] = /^--([a-z][\w-]*)/u.exec(arg) ?? [];
  return name === undefined ? /^-[Ox]/u.test(arg) : GIT_OPTIONS.some((each) => each.startsWith(name));
}

/** The state of reading a line. */
class Reader {
  readonly parts: CommandPart[] = [];
  readonly files: RedirectedFile[] = [];
  doubt: CommandDoubt | undefined;

  doubts(about: CommandDoubt): void {
    this.doubt ??= about;
  }

  node(node: SyntaxNode): void {
    if (node.type === "Command") return this.command(node);
    if (node.type === "Statement") return this.node(node.command);
    if (node.type === "AndOr") return node.commands.forEach((each) => this.node(each));
    if (node.type !== "Pipeline") return this.doubts("ambiguous");
    if (node.operators.includes("|&")) this.doubts("ambiguous");
    if (node.prefixes.some(({ type }) => type === "Time")) this.doubts("wrapper");
    for (const each of node.commands) this.node(each);
  }

  command({ name, prefix, suffix }: Command): void {
    const words: string[] = [];
    let hasGlob = false;
    if (!name || prefix.some(({ type }) => type === "Assignment")) this.doubts("wrapper");
    if (name?.parts?.some(({ type }) => type === "Glob")) this.doubts("ambiguous");
    for (const each of [...(name ? [name] : []), ...prefix, ...suffix]) {
      if (each.type === "Word") {
        words.push(each.value);
        hasGlob = this.word(each) || hasGlob;
      } else if (each.type === "Assignment") {
        if (each.value.type !== "Word") this.doubts("ambiguous");
        else this.word(each.value);
        words.push(each.text);
      } else this.redirection(each);
    }
    if (isWrapper(words)) this.doubts("wrapper");
    this.parts.push({ words, hasGlob });
  }

  /** Looks at what a word is made of. True if it has a glob. */
  word({ parts = [] }: Word): boolean {
    if (parts[0]?.type === "Glob") this.doubts("ambiguous"); // a name that it finds may be an option
    for (const part of parts) {
      const inner = part.type === "DoubleQuoted" ? part.parts : [part];
      for (const { type } of inner) {
        if (type === "Literal" || type === "SingleQuoted" || type === "Glob") continue;
        const isInserted = /Expansion$|Substitution$/u.test(type) && type !== "BraceExpansion";
        this.doubts(isInserted ? "substitution" : "ambiguous");
      }
    }
    return parts.some(({ type }) => type === "Glob");
  }

  redirection(each: Redirection): void {
    if (each.type === "HereString") return this.doubts("ambiguous");
    if (each.type === "HereDoc") {
      if (!each.closing) return this.doubts("ambiguous");
      return each.delimiter?.quoted || !/[$`\\]/u.test(each.body.text)
        ? undefined
        : this.doubts("substitution");
    }
    const { operator, target, descriptor } = each;
    if (!target || descriptor?.type === "FileDescriptorVariable") return this.doubts("redirection");
    const { value, parts } = target;
    if (operator === ">&" || operator === "<&") {
      if (!/^(?:\d+|-)$/u.test(value)) this.doubts("ambiguous");
      return undefined;
    }
    if (operator === "&>" || operator === "&>>") return this.doubts("ambiguous"); // for sh: in the background
    if (this.word(target) || value.startsWith("~") || (parts ?? []).some(({ type }) => type === "Glob"))
      return this.doubts("redirection");
    this.files.push({ path: value, isWritten: operator !== "<" });
    return undefined;
  }
}

function mentionedIn(node: SyntaxNode, found: string[][] = []): string[][] {
  if (node.type === "Command") {
    const words = [node.name, ...node.args].flatMap((each) => (each?.type === "Word" ? [each.value] : []));
    // behind a wrapper, and in what a shell is given as one argument
    found.push(...words.map((_, at) => words.slice(at)));
    found.push(...words.filter((word) => /\s/u.test(word)).map((word) => word.trim().split(/\s+/u)));
  }
  forEachChild(node, (child) => void mentionedIn(child, found));
  return found;
}

/** Reads a line of shell, without running any of it. What is not certainly understood is a doubt. */
export function readShellLine(line: string): ShellLine {
  const isOdd = line.length > MAX_LENGTH || /(?![\t\n ])[\p{C}\p{Z}]/u.test(line);
  if (isOdd || !line.isWellFormed()) {
    const words = line.slice(0, MAX_LENGTH).split(/[\s;&|()<>`"']+/u);
    return {
      parts: [],
      files: [],
      doubt: "ambiguous",
      mentioned: words.map((_, at) => words.slice(at, at + 50)),
    };
  }
  const script = parse(line);
  const reader = new Reader();
  for (const statement of script.commands) reader.node(statement);
  if ((script.errors?.length ?? 0) > 0 || reader.parts.length === 0) reader.doubts("ambiguous");
  return {
    parts: reader.parts,
    files: reader.files,
    ...(reader.doubt && { doubt: reader.doubt }),
    mentioned: mentionedIn(script),
  };
}
