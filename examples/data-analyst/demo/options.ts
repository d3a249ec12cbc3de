import { parseArgs } from "node:util";
import { FORMS } from "../stand-in/read-request.ts";
import { HOW_TO_NAME_A_MODEL } from "./choose-model.ts";
import { UsageError } from "./errors.ts";

export type DemoOptions = {
  /** Absent if none is asked: {@link DEFAULT_QUESTIONS} has one for a model and one for the stand-in. */
  readonly question?: string;
  readonly db?: string;
  readonly csv?: string;
  readonly model?: string;
  readonly offline: boolean;
  /** Tokens a second of the stand-in; 0 is full speed. */
  readonly pace?: number;
  readonly out: string;
  /** Die in the middle of a tool, and go on in another process. */
  readonly crash: boolean;
  /** Shown in the visualizer that `agentchart inspect` started, or will start. */
  readonly inspect: boolean;
  /** Where a life of a crashing session keeps it; `dies` is the life that is to be killed. */
  readonly life?: { readonly dir: string; readonly dies: boolean };
  readonly help: boolean;
};

/** What the demo works on unless it is asked something else. */
export const DEFAULT_QUESTIONS = {
  remote:
    "Analyse the sales of 2024 Q1: total, average order value, monthly trend; draw a monthly bar chart; write a report with findings",
  standIn: "profile",
};

export const HELP = `A data analyst that answers questions about a database, run by an agent that is one statechart.

  npm run demo                                  profiles the built-in (synthetic) orders; a model analyses them
  npm run demo -- "my question"                 asks something else about them
  npm run demo -- "my question" --csv my.csv    asks about a CSV file (UTF-8; , ; tab or |)
  npm run demo -- "my question" --db my.sqlite  asks about a SQLite database, opened read-only

A question in your own words needs a model: ${HOW_TO_NAME_A_MODEL}.
Without one, a built-in stand-in answers what it can prove from the schema, and nothing else:

${FORMS.map(({ form, does }) => `  ${form.padEnd(44)}  ${does}`).join("\n")}

  --offline         answer with the stand-in even if a key is set; nothing leaves this machine
  --model NAME      the model to ask (also AGENTCHART_MODEL or OPENAI_MODEL)
  --out DIR         where reports go (default: agentchart-out)
  --pace N          tokens a second of the stand-in; 0 is full speed (default: 30 on a terminal, else full speed)
  --inspect         show the run in the visualizer, if it is started: npm run build && npx agentchart inspect
  --crash           be killed (SIGKILL) in the middle of a tool, and go on in a new process
  --help            show this

The first line of the output says which model it is. Ctrl-C stops the turn, a second one the demo.`;

const OPTIONS = {
  db: { type: "string" },
  csv: { type: "string" },
  model: { type: "string" },
  offline: { type: "boolean", default: false },
  pace: { type: "string" },
  out: { type: "string", default: "agentchart-out" },
  crash: { type: "boolean", default: false },
  inspect: { type: "boolean", default: false },
  "life-in": { type: "string" },
  "life-dies": { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split(". ")[0]}. Try --help.`);
  }
}

function readPace(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const pace = Number(text);
  if (text.trim() === "" || !Number.isFinite(pace) || pace < 0)
    throw new UsageError(`--pace takes a number of tokens a second, not "${text}".`);
  return pace;
}

/** Reads the command line. Throws UsageError for what it does not know. */
export function readOptions(args: readonly string[]): DemoOptions {
  const { values, positionals } = parse(args);
  const { db, csv, model } = values;
  const question = positionals[0]?.trim();
  if (positionals.length > 1)
    throw new UsageError(`One question at a time: put it in quotes. I got ${positionals.length} pieces.`);
  if (db !== undefined && csv !== undefined) throw new UsageError("Use --db or --csv, not both.");
  const pace = readPace(values.pace);
  return {
    ...(question && { question }),
    ...(db !== undefined && { db }),
    ...(csv !== undefined && { csv }),
    ...(model !== undefined && { model }),
    ...(pace !== undefined && { pace }),
    crash: values.crash,
    inspect: values.inspect,
    ...(values["life-in"] !== undefined && { life: { dir: values["life-in"], dies: values["life-dies"] } }),
    offline: values.offline,
    out: values.out,
    help: values.help,
  };
}
