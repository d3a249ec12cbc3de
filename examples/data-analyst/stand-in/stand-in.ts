/**
 * The stand-in for a language model: a pure function from a Chat Completions request to an assistant message.
 *
 * V1 Every number it says was said by a tool.
 * V2 The same request always gets the same answer.
 * V3 A call is made once; one that failed is named in the answer.
 * V4 It answers the closed list of `read-request.ts` and nothing else: any other question is refused in words.
 */
import type { JsonObject } from "agentchart";
import type { ChatCompletionsAnswer, ChatCompletionsRequest } from "agentchart/testing";
import { HOW_TO_NAME_A_MODEL } from "../demo/choose-model.ts";
import type { TableInfo } from "../sql/read-schema.ts";
import { readConversation, stepOf, type Call, type Conversation } from "./conversation.ts";
import { FORMS, readRequest, Refusal, type Figure, type Task } from "./read-request.ts";

type JsonValue = JsonObject[string];
type Phase = { readonly say: string; readonly calls: readonly Call[] };

const DESCRIBE: Call = { tool: "describe_database", input: {} };
const STAGES = ["Query the figures", "Draw the charts", "Write the report"];
const ROWS_SAID = 15;

const queryOf = ({ sql }: Figure): Call => ({ tool: "query_database", input: { sql, show: 60 } });
const finish = (index: number, outcome: string): Call => ({
  tool: "finish_subtask",
  input: { subtask_idx: index, subtask_outcome: outcome },
});
const rowsOf = (result: JsonObject | undefined): readonly (readonly JsonValue[])[] =>
  (result?.["rows"] ?? []) as readonly (readonly JsonValue[])[];
const said = (value: JsonValue | undefined): string =>
  value === null || value === undefined ? "–" : String(value);

/** The chart of a figure, once its rows are known. */
function chartOf(conversation: Conversation, figure: Figure): Call | undefined {
  const result = stepOf(conversation, queryOf(figure))?.result;
  const [x, y] = (result?.["columns"] ?? []) as readonly string[];
  if (!figure.chart || !result || x === undefined || y === undefined || rowsOf(result).length === 0)
    return undefined;
  return {
    tool: "generate_chart",
    input: { resultId: result["resultId"]!, type: figure.chart, x, y, title: figure.title },
  };
}

/** What a figure came to, in lines. */
function linesOf(conversation: Conversation, figure: Figure): string[] {
  const step = stepOf(conversation, queryOf(figure));
  if (!step?.result) return [`${figure.title}: not found. ${step?.error ?? ""}`.trim()];
  const { result } = step;
  const rows = rowsOf(result);
  const columns = (result["columns"] ?? []) as readonly string[];
  if (figure.chart)
    return [
      `${figure.title}:`,
      ...rows.slice(0, ROWS_SAID).map(([label, value]) => `- ${said(label)}: ${said(value)}`),
      ...(rows.length > ROWS_SAID ? ["- … (the report has more)"] : []),
    ];
  const [row = []] = rows;
  if (columns.length === 1) return [`${figure.title}: ${said(row[0])}`];
  return [`${figure.title}: ${columns.map((column, index) => `${column} ${said(row[index])}`).join(", ")}`];
}

/** The columns of a table, in lines. */
function columnLines({ name, rowCount, columns, primaryKey }: TableInfo): string[] {
  const key = primaryKey.length === 0 ? "" : `, key ${primaryKey.join(", ")}`;
  return [
    `Table ${name}: ${rowCount} rows${key}`,
    ...columns.map(
      ({ name: column, kind, distinct, nulls, min, max }) =>
        `- ${column}: ${kind}, ${distinct} distinct, ${nulls} missing${min === null ? "" : `, ${min} to ${max}`}`,
    ),
  ];
}

/** The phases of a task: each is asked for once the ones before it have come back. */
function phasesOf(task: Task, tables: readonly TableInfo[], conversation: Conversation): Phase[] {
  const queries = task.figures.map(queryOf);
  const charts = task.figures.flatMap((figure) => chartOf(conversation, figure) ?? []);
  if (!task.figures.some(({ chart }) => chart)) return [{ say: "I query the figures.", calls: queries }];
  const idOf = (call: Call | undefined, name: string): JsonValue | undefined =>
    call && stepOf(conversation, call)?.result?.[name];
  const idsOf = (calls: readonly Call[], name: string): string =>
    calls.map((call) => said(idOf(call, name))).join(", ");
  const sections = [
    ...tables.map((table) => ({
      heading: `Table ${table.name}`,
      text: columnLines(table).join("\n"),
    })),
    ...task.figures.map((figure): JsonObject => {
      const chartId = idOf(chartOf(conversation, figure), "chartId");
      const resultId = idOf(queryOf(figure), "resultId");
      const failure = stepOf(conversation, queryOf(figure))?.error;
      return {
        heading: figure.title,
        ...(chartId !== undefined && { chartId }),
        ...(resultId !== undefined && { resultId }),
        ...(failure !== undefined && { text: failure }),
      };
    }),
  ];
  const report: Call = { tool: "create_report", input: { title: task.title, sections } };
  const plan: Call = {
    tool: "create_plan",
    input: {
      name: task.title,
      description: "Profile the data with SQL, without guessing at a meaning.",
      expected_outcome: "A report in which every figure has its SQL.",
      subtasks: STAGES.map((name) => ({ name, description: "", expected_outcome: "" })),
    },
  };
  const begin: Call = {
    tool: "update_subtask_state",
    input: { subtask_idx: 0, state: "in_progress" },
  };
  const path = said(idOf(report, "path"));
  return [
    { say: "I make a plan.", calls: [plan] },
    { say: "I query the figures.", calls: [begin, ...queries] },
    { say: "I draw the charts.", calls: [finish(0, idsOf(queries, "resultId")), ...charts] },
    { say: "The charts are drawn.", calls: [finish(1, idsOf(charts, "chartId"))] },
    { say: "I write the report.", calls: [report] },
    {
      say: "The plan is done.",
      calls: [finish(2, path), { tool: "finish_plan", input: { state: "done", outcome: path } }],
    },
  ];
}

function needsModel(problem: string): string {
  return [
    problem,
    "",
    "Without a model I answer these, with the names of the tables and columns as they are written:",
    ...FORMS.map(({ form, does }) => `- ${form}: ${does}`),
  ].join("\n");
}

function ask({ length, tools }: Conversation, say: string, calls: readonly Call[]): ChatCompletionsAnswer {
  const offered = calls.filter(({ tool }) => tools.has(tool));
  return {
    content: say,
    tool_calls: offered.map(({ tool, input }, index) => ({
      id: `call_${length}_${index + 1}`,
      function: { name: tool, arguments: JSON.stringify(input) },
    })),
  };
}

function taskFor(question: string, tables: readonly TableInfo[]): Task | string {
  try {
    return (
      readRequest(question, tables) ??
      needsModel(`A question in your own words needs a model, and there is none: ${HOW_TO_NAME_A_MODEL}.`)
    );
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

/** The next assistant message: calls of tools, or the answer. */
export function standInAnswer(request: ChatCompletionsRequest): ChatCompletionsAnswer {
  const conversation = readConversation(request);
  const described = stepOf(conversation, DESCRIBE);
  if (!described && conversation.tools.has(DESCRIBE.tool))
    return ask(conversation, "I look at the tables.", [DESCRIBE]);
  if (!described?.result) return { content: `I cannot look at the tables. ${described?.error ?? ""}`.trim() };
  const tables = described.result["tables"] as unknown as readonly TableInfo[];
  const task = taskFor(conversation.question, tables);
  if (typeof task === "string") return { content: task };
  const profiled = tables.filter(({ name }) => task.profiled.includes(name));
  const phases = phasesOf(task, profiled, conversation);
  const isOpen = (call: Call): boolean =>
    conversation.tools.has(call.tool) && stepOf(conversation, call) === undefined;
  for (const { say, calls } of phases) {
    const open = calls.filter(isOpen);
    if (open.length > 0) return ask(conversation, say, open);
  }
  const path = conversation.steps.find(({ tool }) => tool === "create_report")?.result?.["path"];
  return {
    content: [
      task.title,
      ...profiled.flatMap(columnLines),
      ...task.figures.flatMap((figure) => linesOf(conversation, figure)),
      ...(path === undefined ? [] : [`Report: ${said(path)}`]),
    ].join("\n"),
  };
}
