import type { Option } from "commander";
import type { CliCommand } from "./cli-command.ts";
import type { Handler } from "./define-command.ts";
import type { completion } from "./definitions.ts";

/** `agentchart completion`: prints the script that completes the commands and flags of the program in a shell. */
export function completionCommand(program: CliCommand): Handler<typeof completion> {
  return ({ args }, { stdout }) => {
    stdout.write(SCRIPTS[args.shell](nodesOf(program)));
    return 0;
  };
}

type Word = { readonly name: string; readonly description: string };

/** A command and what may follow it. */
type Node = {
  /** The words of the command, each after a space; "" for the program itself. */
  readonly path: string;
  readonly words: readonly Word[];
  readonly options: readonly Option[];
};

function nodesOf(command: CliCommand, path = ""): readonly Node[] {
  const commands = command.commands.map((each) => ({ name: each.name(), description: each.description() }));
  const words = [...commands, ...wordsOf(command.argumentChoices)];
  const options = command.createHelp().visibleOptions(command) as Option[];
  return [
    { path, words, options },
    ...command.commands.flatMap((each) => nodesOf(each, `${path} ${each.name()}`)),
  ];
}

function wordsOf(names: readonly string[]): readonly Word[] {
  return names.map((name) => ({ name, description: "" }));
}

const SCRIPTS = {
  bash: (nodes: readonly Node[]): string => `_agentchart() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command= words= word
  if [[ $current == = ]]; then current=
  elif [[ $previous == = ]]; then previous=\${COMP_WORDS[COMP_CWORD-2]}; fi
${casesOf(nodes, '"${COMP_WORDS[@]:1:COMP_CWORD-1}"', (words) => `words=${quote(words.map(({ name }) => name).join(" "))}`)}
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _agentchart agentchart
`,

  zsh: (nodes: readonly Node[]): string => `#compdef agentchart
_agentchart() {
  local current=$PREFIX previous=$words[CURRENT-1] command= word
  local -a items
  if [[ $current == --*=* ]]; then previous=\${current%%=*} current=; compset -P '*='; fi
${casesOf(nodes, "$words[2,CURRENT-1]", (words) => `items=(${words.map(zshItem).join(" ")})`)}
  if (( $#items )); then _describe agentchart items; else _files; fi
}
compdef _agentchart agentchart
`,

  fish: (nodes: readonly Node[]): string => `function __agentchart_at
  set -l command ''
  for word in (commandline -opc)[2..]
    switch "$command $word"
      case ${nodes.map(({ path }) => fishQuote(path)).join(" ")}
        set command "$command $word"
    end
  end
  test "$command" = "$argv[1]"
end
${nodes.flatMap(fishLines).join("\n")}
`,
};

/** Returns the statements of bash and zsh that find the command before the cursor and assign what completes it. These are the values of a
 *  flag, which are empty for a file name; flags, if the current word begins with a dash; otherwise commands or arguments. */
function casesOf(nodes: readonly Node[], before: string, assign: (words: readonly Word[]) => string): string {
  const valueCases = nodes.flatMap(({ path, options }) =>
    options
      .filter(({ required }) => required)
      .map(
        ({ long, argChoices = [] }) => `    ${quote(`${path} ${long}`)}) ${assign(wordsOf(argChoices))} ;;`,
      ),
  );
  const wordCases = nodes.flatMap(({ path, words, options }) => {
    const flags = options.map(({ long = "", description }) => ({ name: long, description }));
    return [
      `      ${quote(`${path}:-`)}) ${assign(flags)} ;;`,
      `      ${quote(`${path}:`)}*) ${assign(words)} ;;`,
    ];
  });
  return `  for word in ${before}; do
    case "$command $word" in ${nodes.map(({ path }) => quote(path)).join("|")}) command+=" $word" ;; esac
  done
  case "$command $previous" in
${valueCases.join("\n")}
    *) case "$command:\${current:0:1}" in
${wordCases.join("\n")}
    esac ;;
  esac`;
}

function zshItem({ name, description }: Word): string {
  return quote(description ? `${name}:${description}` : name);
}

function fishLines({ path, words, options }: Node): readonly string[] {
  const at = `complete -c agentchart -n ${fishQuote(`__agentchart_at ${fishQuote(path)}`)}`;
  return [
    ...words.map(({ name, description }) => `${at} -f -a ${name} -d ${fishQuote(description)}`),
    ...options.map(({ short, long = "", required, argChoices, description }) => {
      const names = `${short ? `-s ${short.slice(1)} ` : ""}-l ${long.slice(2)}`;
      const value = argChoices ? `-x -a ${fishQuote(argChoices.join(" "))} ` : required ? "-r " : "";
      return `${at} ${names} ${value}-d ${fishQuote(description)}`;
    }),
  ];
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function fishQuote(text: string): string {
  return `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`;
}
