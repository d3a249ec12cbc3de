import { parseArgs } from "node:util";
import { UsageError } from "./usage-error.ts";

export type DemoOptions = {
  readonly question: string;
  readonly db?: string;
  readonly csv?: string;
  readonly encoding?: string;
  /** A folder of documents, in which the answer is looked up before the data are asked. */
  readonly docs?: string;
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
  /** Work in so many processes, of which one is killed. */
  readonly workers?: number;
  readonly help: boolean;
  readonly debug: boolean;
};

/** The production task that the demo works on unless it is asked something else. */
export const DEFAULT_QUESTIONS = {
  en: "Analyse the sales of 2024 Q1: total, average order value, monthly trend; draw a monthly bar chart; write a report with findings",
  zh: "分析2024年第一季度的销售情况：总额、平均订单金额、月度趋势；画一张月度柱状图；写一份带结论的报告",
};

export const HELP = `A data analyst that answers questions about a database, run by an agent that is one statechart.

  npm run demo                                  analyses the built-in (synthetic) orders
  npm run demo -- "my question"                 asks something else about them
  npm run demo -- "my question" --csv my.csv    asks about a CSV file (UTF-8, GB18030, …; , ; tab or |)
  npm run demo -- "my question" --db my.sqlite  asks about a SQLite database, opened read-only
  npm run demo -- --docs DIR "my question"      looks into a folder of text, Markdown, HTML and PDF (with the package unpdf)
                                                before it asks the data

  --offline         answer with the built-in stand-in even if a key is set; nothing leaves this machine
  --model NAME      the model to ask (also AGENTCHART_MODEL or OPENAI_MODEL); PROVIDER/NAME is one of alibaba, anthropic, google,
                    mistral or openai with the AI SDK, such as anthropic/claude-sonnet-4-5: it says which key it wants
  --encoding NAME   encoding of the CSV file, if the guess is wrong
  --out DIR         where reports go (default: agentchart-out)
  --pace N          tokens a second of the stand-in; 0 is full speed (default: 30 on a terminal, else full speed)
  --inspect         show the run in the visualizer, if it is started: npm run build && npx agentchart inspect
  --crash           be killed (SIGKILL) in the middle of a tool, and go on in a new process
  --workers N       work in N worker processes (2 to 8), of which one is killed, and another goes on
  --lang en|zh      language of the default question
  --debug           show stack traces
  --help            show this

Which model: OPENAI_API_KEY, else DASHSCOPE_API_KEY (qwen-plus), else OPENAI_BASE_URL alone (Ollama and others),
else the stand-in. The first line of the output says which one it is. Ctrl-C stops the turn, a second one the demo.`;

const OPTIONS = {
  db: { type: "string" },
  csv: { type: "string" },
  encoding: { type: "string" },
  docs: { type: "string" },
  model: { type: "string" },
  offline: { type: "boolean", default: false },
  pace: { type: "string" },
  out: { type: "string", default: "agentchart-out" },
  lang: { type: "string", default: "en" },
  crash: { type: "boolean", default: false },
  inspect: { type: "boolean", default: false },
  workers: { type: "string" },
  "life-in": { type: "string" },
  "life-dies": { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
  debug: { type: "boolean", default: false },
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

function readWorkers(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[2-8]$/.test(text)) throw new UsageError(`--workers takes a number from 2 to 8, not "${text}".`);
  return Number(text);
}

/** Refuses what has no meaning with documents. */
function checkDocs(
  { docs, ...others }: ReturnType<typeof parse>["values"],
  question: string | undefined,
): void {
  if (docs === undefined) return;
  if (!question) throw new UsageError('--docs needs a question: npm run demo -- --docs DIR "my question".');
  const other = (["crash", "workers"] as const).find(
    (name) => others[name] !== undefined && others[name] !== false,
  );
  if (other !== undefined) throw new UsageError(`Use --docs or --${other}, not both.`);
}

/** Reads the command line. Throws UsageError for what it does not know. */
export function readOptions(args: readonly string[]): DemoOptions {
  const { values, positionals } = parse(args);
  const { db, csv, encoding, model, lang } = values;
  if (positionals.length > 1)
    throw new UsageError(`One question at a time: put it in quotes. I got ${positionals.length} pieces.`);
  if (db !== undefined && csv !== undefined) throw new UsageError("Use --db or --csv, not both.");
  if (encoding !== undefined && csv === undefined) throw new UsageError("--encoding only goes with --csv.");
  if (lang !== "en" && lang !== "zh") throw new UsageError(`--lang takes en or zh, not "${lang}".`);
  checkDocs(values, positionals[0]?.trim());
  const pace = readPace(values.pace);
  const workers = readWorkers(values.workers);
  if (workers !== undefined && values.crash) throw new UsageError("Use --workers or --crash, not both.");
  if (workers !== undefined && values.inspect) throw new UsageError("Use --workers or --inspect, not both.");
  return {
    question: positionals[0]?.trim() || DEFAULT_QUESTIONS[lang],
    ...(db !== undefined && { db }),
    ...(csv !== undefined && { csv }),
    ...(encoding !== undefined && { encoding }),
    ...(values.docs !== undefined && { docs: values.docs }),
    ...(model !== undefined && { model }),
    ...(pace !== undefined && { pace }),
    crash: values.crash,
    inspect: values.inspect,
    ...(workers !== undefined && { workers }),
    ...(values["life-in"] !== undefined && { life: { dir: values["life-in"], dies: values["life-dies"] } }),
    offline: values.offline,
    out: values.out,
    help: values.help,
    debug: values.debug,
  };
}
