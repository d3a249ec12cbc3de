import type { Conversation, JsonFields } from "./conversation.ts";
import type { WantedCall } from "./tool-runs.ts";
import type { Words } from "./words.ts";

/** The parts of an analysis, each a subtask of the plan, in the order in which they are done. */
const STAGES = ["figures", "charts", "report"] as const;
export type Stage = (typeof STAGES)[number];

/** What the analyst does next: calls with a word on why, or nothing. `stage` is undefined once all is done. */
export type NextStep = {
  readonly say: string;
  readonly calls: readonly WantedCall[];
  readonly stage?: Stage;
  /** What the plan comes to, if there is nothing left to do. */
  readonly outcome: string;
};

const TOOLS = ["create_plan", "update_subtask_state", "finish_subtask", "finish_plan"];
const MADE_BY: { readonly [stage in Stage]: readonly string[] } = {
  figures: ["query_database", "calculate_statistics"],
  charts: ["generate_chart"],
  report: ["create_report"],
};

/** The ids and paths that the tools of a stage have returned. */
function outcomeOf(stage: Stage, { steps }: Conversation, words: Words): string {
  const made = steps
    .filter(({ tool }) => MADE_BY[stage].includes(tool))
    .flatMap(({ result }) => [result?.["resultId"] ?? result?.["chartId"] ?? result?.["path"]])
    .filter((id) => typeof id === "string");
  return made.length === 0 ? words.plan.nothing : [...new Set(made)].join(words.list);
}

/** The calls that keep the plan up to date, before or beside those of the next step. The plan is made before the first step. Each call
 *  is made once, whatever comes of it: a person may have changed the plan. */
export function keepPlan(
  { say, calls, stage, outcome }: NextStep,
  conversation: Conversation,
  about: { readonly title: string; readonly words: Words },
): { readonly say: string; readonly calls: readonly WantedCall[] } {
  const { words } = about;
  const { plan } = words;
  const { steps, tools } = conversation;
  if (!TOOLS.every((tool) => tools.has(tool))) return { say, calls };
  const isMade = (tool: string, at?: number): boolean =>
    steps.some((step) => step.tool === tool && (at === undefined || step.input["subtask_idx"] === at));
  if (!isMade("create_plan")) {
    if (stage === undefined) return { say, calls };
    const subtasks = STAGES.map((name): JsonFields => ({
      name: plan.subtasks[name],
      description: "",
      expected_outcome: "",
    }));
    const input = { name: about.title, description: plan.about, expected_outcome: plan.expected, subtasks };
    return { say: plan.make, calls: [{ tool: "create_plan", input }] };
  }
  if (isMade("finish_plan")) return { say, calls };
  const reached = stage === undefined ? STAGES.length : STAGES.indexOf(stage);
  const finished = STAGES.slice(0, reached).flatMap((name, at): WantedCall[] => {
    const input = { subtask_idx: at, subtask_outcome: outcomeOf(name, conversation, words) };
    return isMade("finish_subtask", at) ? [] : [{ tool: "finish_subtask", input }];
  });
  if (stage === undefined) {
    const ended = { tool: "finish_plan", input: { state: "done", outcome } };
    return { say: plan.end, calls: [...finished, ended] };
  }
  // The report shows the plan, so the plan is up to date before the report is written.
  if (stage === "report" && finished.length > 0) return { say: plan.goOn, calls: finished };
  const begun = { tool: "update_subtask_state", input: { subtask_idx: 0, state: "in_progress" } };
  return { say, calls: [...(isMade(begun.tool) ? [] : [begun]), ...finished, ...calls] };
}
