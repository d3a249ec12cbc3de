import {
  Argument,
  Command,
  Option,
  type ErrorOptions,
  type HelpContext,
  type ParseOptionsResult,
} from "commander";
import { nearestName } from "../core/base/nearest-name.ts";
import type { CommandDefinition, Parameter, Sections } from "./define-command.ts";
import { asSentence } from "./error-message.ts";
import { UsageError } from "./usage-error.ts";

const EXIT_CODES = `0    success
1    failure
2    wrong usage`;

/** A command of commander that throws a {@link UsageError} of one line where commander prints a message and exits. */
export class CliCommand extends Command {
  declare readonly commands: readonly CliCommand[];
  declare parent: CliCommand | null;
  /** The values of an argument that has a fixed set of them. */
  argumentChoices: readonly string[] = [];

  constructor(name?: string) {
    super(name);
    this.exitOverride().showSuggestionAfterError(false);
    this.helpOption("-h, --help", "print this help").helpCommand(false);
  }

  override createCommand(name?: string): CliCommand {
    return new CliCommand(name);
  }

  /** Adds the arguments, the flags and the help of a definition, and `--debug`. The last is read by `runCli` before the command line is
   *  parsed, so that it also holds for a wrong one. */
  define({ description, args = {}, flags = {}, examples, sections }: CommandDefinition): this {
    this.description(description);
    for (const parameter of Object.values(args)) this.addArgument(argumentOf(parameter));
    for (const [key, parameter] of Object.entries(flags)) this.#addFlag(key, parameter);
    this.option("--debug", "print the stack trace of an error");
    this.argumentChoices = Object.values(args).flatMap(({ choices = [] }) => choices);
    const flagSections = Object.values(flags).map((parameter) => parameter.sections);
    const all: Sections = Object.assign({}, ...flagSections, sections);
    const { "Exit codes": exitCodes = EXIT_CODES, ...others } = all;
    const lines = examples.map((line) => `agentchart ${line}`).join("\n");
    for (const [heading, text] of Object.entries({ Examples: lines, ...others, "Exit codes": exitCodes })) {
      this.addHelpText("after", `\n${heading}:\n${text.replaceAll(/^/gm, "  ")}`);
    }
    return this;
  }

  /** Adds a flag. One with a value is refused a second time, unless it is repeatable: commander would take the last value. */
  #addFlag(key: string, parameter: Parameter<unknown>): void {
    const option = optionOf(key, parameter);
    if (option.required && !parameter.isRepeatable)
      this.on(`option:${option.name()}`, () => {
        if (this.getOptionValueSource(option.attributeName()) === "cli")
          this.error(`Option '${option.flags}' takes one value, and is given more than once.`);
      });
    this.addOption(option); // its own listener, which sets the value, comes after the one above
  }

  /** Throws a {@link UsageError} for a flag on the command line whose value does not fit its schema. */
  async checkFlags({ flags = {} }: CommandDefinition): Promise<void> {
    for (const [key, { schema }] of Object.entries(flags)) {
      if (!schema || this.getOptionValueSource(key) !== "cli") continue;
      const value: unknown = this.getOptionValue(key);
      const expected = (await schema()).issueOf(value)?.expected;
      if (expected === undefined) continue;
      const option = this.options.find((each) => each.attributeName() === key);
      this.error(`Option '${option?.flags}' argument '${String(value)}' is invalid. It must be ${expected}.`);
    }
  }

  /** The words of the command, such as "agentchart sessions ls". */
  get path(): string {
    return this.parent ? `${this.parent.path} ${this.name()}` : this.name();
  }

  /** The deepest command that the arguments name: this one if they begin with none. */
  find([name, ...rest]: readonly string[]): CliCommand {
    const command = this.commands.find((each) => each.name() === name);
    return command ? command.find(rest) : this;
  }

  /** A value that begins with a dash must be attached, as in `--as=-x`; in `--model --json`, the value is missing. */
  override parseOptions(args: string[]): ParseOptionsResult {
    const end = args.indexOf("--");
    for (const [index, arg] of args.slice(0, end < 0 ? args.length : end).entries()) {
      const option = this.options.find(({ long, required }) => required && long === arg);
      if (option && args[index + 1]?.startsWith("-")) this.error(`Option '${option.flags}' argument missing`);
    }
    return super.parseOptions(args);
  }

  override help(context?: HelpContext | ((help: string) => string)): never {
    if (typeof context === "object" && context.error) {
      const names = this.commands.map((command) => command.name());
      this.error(`Missing command: use ${names.join(", ")}`);
    }
    return super.help(context as HelpContext);
  }

  override error(message: string, { code }: ErrorOptions = {}): never {
    const text = message.replace(/^error: (.)/, (_, first: string) => first.toUpperCase());
    throw new UsageError(this.#withHint(text, code));
  }

  #withHint(text: string, code: string | undefined): string {
    const [, word = ""] = /'(.*)'$/s.exec(text) ?? [];
    if (code === "commander.unknownCommand") {
      const names = this.commands.map((command) => command.name());
      const meant = Object.hasOwn(COMMAND_WORDS, word) ? COMMAND_WORDS[word]! : [];
      const other = meant.find((name) => names.includes(name));
      return `${text}.${other === undefined ? didYouMean(word, names) : ` Did you mean '${other}'?`}`;
    }
    if (code === "commander.unknownOption") {
      // The value is not repeated: it may contain a password.
      const [flag = ""] = word.split("=");
      const flags = ["--help", ...this.options.flatMap(({ long }) => long ?? [])];
      if (flags.includes(flag)) return `Option '${flag}' takes no value.`;
      return `Unknown option '${flag}'.${didYouMean(flag, flags)}`;
    }
    const hint = text.includes("Expected 1 argument") ? " Quote a value that contains spaces." : "";
    return `${asSentence(text)}${hint}`;
  }
}

/** Commands by the words of other programs; the first that is one at this place is meant. */
const COMMAND_WORDS: { readonly [word: string]: readonly string[] } = {
  list: ["ls"],
  all: ["ls"],
  find: ["search"],
  grep: ["search"],
  get: ["show"],
  cat: ["show"],
  view: ["show", "inspect"],
  describe: ["show"],
  open: ["inspect", "show"],
  delete: ["rm"],
  remove: ["rm"],
  del: ["rm"],
  new: ["add"],
  create: ["add"],
  continue: ["resume"],
  copy: ["fork"],
  branch: ["fork"],
  ask: ["run"],
  exec: ["run"],
  start: ["run"],
  chat: ["dev"],
  playground: ["dev"],
  evaluate: ["eval"],
  evals: ["eval"],
  test: ["eval"],
  ui: ["inspect"],
  studio: ["inspect"],
  visualize: ["inspect"],
  server: ["serve"],
  api: ["serve"],
  http: ["serve"],
  graph: ["chart"],
  diagram: ["chart"],
  verify: ["check"],
  lint: ["check"],
  prove: ["check"],
  cron: ["schedules"],
  dlq: ["dead-letters"],
};

function didYouMean(word: string, names: readonly string[]): string {
  const bare = (name: string): string => name.replace(/^--/, "");
  const near = nearestName(bare(word), names.map(bare));
  return near === undefined ? "" : ` Did you mean '${names.find((name) => bare(name) === near)}'?`;
}

function argumentOf(parameter: Parameter<unknown>): Argument {
  const { value = "", description, isRequired, isRepeatable } = parameter;
  const label = isRepeatable ? `${value}...` : value;
  return withParser(new Argument(isRequired ? `<${label}>` : `[${label}]`, description), parameter);
}

function optionOf(key: string, parameter: Parameter<unknown>): Option {
  const { description, value, default: fallback, isRequired = false } = parameter;
  const flag = flagName(key);
  if (value === undefined) return new Option(flag, description);
  const note = isRequired ? `${description} (required)` : description;
  const option = new Option(`${flag} <${value}>`, note).makeOptionMandatory(isRequired);
  if (fallback !== undefined && !Array.isArray(fallback)) option.default(fallback);
  return withParser(option, parameter);
}

function withParser<T extends Argument | Option>(target: T, parameter: Parameter<unknown>): T {
  const { choices, parse, isRepeatable } = parameter;
  if (choices) target.choices(choices);
  if (parse && !isRepeatable) target.argParser(parse);
  if (parse && isRepeatable)
    target.argParser<unknown[] | undefined>((text, previous = []) => [...previous, parse(text)]);
  return target;
}

/** The flag of a key, such as "--max-iters" for "maxIters". */
export function flagName(key: string): string {
  return `--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
