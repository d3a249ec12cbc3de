import { createInterface } from "node:readline";
import { stripVTControlCharacters } from "node:util";
import { jsonOrText, type Json } from "../../core/base/json.ts";
import * as s from "../../core/base/option-schema.ts";
import { check } from "../../core/base/options.ts";
import { textOf } from "../../core/message/msg.ts";
import type { UserAsk } from "./user-ask.ts";

/** Options of {@link terminalAsk}. */
export type TerminalAskOptions = {
  /** The stream on which the person types; default `process.stdin`. */
  readonly input?: NodeJS.ReadableStream | undefined;
  /** The stream from which the person reads; default `process.stdout`. */
  readonly output?: NodeJS.WritableStream | undefined;
};

/** The schema of {@link TerminalAskOptions}. */
export const terminalAskSchema = s.lazily(() =>
  s.options<TerminalAskOptions>({
    input: s.optional(s.having("on", "a stream that can be read")),
    output: s.optional(s.having("write", "a stream that can be written")),
  }),
);

/** A text without what a terminal would execute. */
function plain(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what is left out
  return stripVTControlCharacters(text).replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/gu, "");
}

/** A line as the answer: its JSON if that is asked for and it is some, else the text. */
const valueOf = (line: string, isJson: boolean): Json => (isJson ? jsonOrText(line) : line);

/**
 * Asks a person in the terminal, with `createUserAgent`: it prints what was said, and reads one line. Ctrl-C and the end of the input
 * mean that the person does not want to answer. A structured answer is typed as JSON. Lines that are typed ahead answer later
 * questions. What agents say is printed without control characters. Throws `config/invalid` for wrong options.
 *
 * @example
 * ```ts
 * import { createUserAgent, terminalAsk } from "agentchart/team";
 *
 * const user = createUserAgent({ name: "ada", ask: terminalAsk() });
 * export const said = async (): Promise<string> => (await user.call("What shall we eat?")).text;
 * ```
 */
export function terminalAsk(options: TerminalAskOptions = {}): UserAsk {
  check(terminalAskSchema(), options, "terminalAsk");
  const { input = process.stdin, output = process.stdout } = options;
  const isTerminal = (output as { readonly isTTY?: boolean }).isTTY === true;
  const lines: string[] = [];
  let take: ((line: string | undefined) => void) | undefined;
  let hasEnded = false;

  const createReader = () => {
    const reader = createInterface({ input, output, terminal: isTerminal });
    reader.on("line", (line) => void (take ? take(line) : lines.push(line)));
    reader.on("SIGINT", () => take?.(undefined));
    reader.on("close", () => {
      hasEnded ||= !isTerminal || take !== undefined; // a reader of a terminal is closed after each line
      take?.(undefined);
    });
    return reader;
  };
  let shared: ReturnType<typeof createReader> | undefined;

  /** Reads a line; undefined if there is none. */
  async function read(prompt: string, signal: AbortSignal): Promise<string | undefined> {
    if (signal.aborted) return undefined; // a line that is typed ahead answers the next question
    const next = lines.shift();
    if (next !== undefined || hasEnded) return next;
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    take = (line) => {
      take = undefined;
      resolve(line);
    };
    const stop = (): void => take?.(undefined);
    signal.addEventListener("abort", stop, { once: true });
    const reader = isTerminal ? createReader() : (shared ??= createReader());
    reader.setPrompt(prompt);
    reader.prompt();
    const line = await promise;
    signal.removeEventListener("abort", stop);
    if (isTerminal) reader.close(); // so that Ctrl-C ends the process while nobody is asked
    else if (!hasEnded) reader.pause();
    return line;
  }

  const ask: UserAsk = async (messages, { name, schema, problem, signal }) => {
    if (signal.aborted) return undefined;
    for (const message of problem === undefined ? messages : [])
      output.write(`${plain(message.name)}: ${plain(textOf(message))}\n`);
    if (problem !== undefined) output.write(`${plain(problem)}\n`);
    if (schema) output.write(`Answer with JSON: ${plain(JSON.stringify(schema))}\n`);
    const line = await read(`${plain(name)}> `, signal);
    return line === undefined ? undefined : valueOf(line, schema !== undefined);
  };
  let last: Promise<unknown> = Promise.resolve(); // one terminal asks one question after the other
  return (messages, question) => {
    const answer = last.then(() => ask(messages, question));
    last = answer.catch(() => {});
    return answer;
  };
}
