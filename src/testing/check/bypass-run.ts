import type { AgentConfig } from "../../agent/options/agent-config.ts";
import { agentChart } from "../../../machines/agent/known-chart.ts";
import { configError } from "../../core/base/error.ts";
import { useRuleEngine } from "../../../machines/agent/rule-engine.ts";
import { History } from "../../inspect/client/history.ts";
import { Recorder } from "../../inspect/client/recorder.ts";
import { textOfBytes } from "../../inspect/client/step-pages.ts";
import { PROTOCOL, type RunFileHeader } from "../../inspect/protocol/protocol.ts";
import { ruleEngine } from "../../kit/rules/engine.ts";
import { replayed } from "../explorer/replay.ts";
import { subjectsOf, underCheck, type CheckOptions } from "./subjects.ts";
import type { RuleReport } from "./report.ts";

const line = (value: object): string => `${JSON.stringify(value)}\n`;

/**
 * Returns a bypass as the text of a run, which the inspector opens as a file: each step of the chart with what it made of the session. Takes
 * the same configuration and options as `checkRules`. Throws `config/invalid` for a report without a bypass, or of another agent.
 *
 * @example
 * ```ts
 * import { writeFileSync } from "node:fs";
 * import type { AgentConfig } from "agentchart";
 * import { bypassRun, checkRules } from "agentchart/check";
 *
 * export async function tell(config: AgentConfig): Promise<void> {
 *   const { rules } = await checkRules(config);
 *   for (const report of rules)
 *     if (report.bypass) writeFileSync(`${report.rule}.run.jsonl`, bypassRun(config, report));
 * }
 * ```
 */
export function bypassRun<Ctx = unknown>(
  config: AgentConfig<Ctx>,
  { rule, bypass }: RuleReport,
  options: CheckOptions = {},
): string {
  const agent = underCheck(config as unknown as AgentConfig<never>, options);
  const subject = subjectsOf(agent, options).find((each) => each.rule.data.name === rule);
  if (!bypass || !subject)
    throw configError(`bypassRun: expected the report of a broken rule of '${agent.name}'.`);
  useRuleEngine(ruleEngine);
  const steps = replayed(subject.worldOf(bypass.extent).world, bypass.path);
  const history = new History();
  const chart = agentChart();
  const recorder = new Recorder({ chart, history, position: () => 0 });
  recorder.begin(steps[0]!);
  for (const step of steps.slice(1)) recorder.record(step);
  recorder.write();
  const last = steps.at(-1)!;
  const header: RunFileHeader = {
    agentchartRun: PROTOCOL,
    exportedAt: Date.now(),
    row: {
      runId: `bypass of ${rule}`.slice(0, 150),
      agent: agent.name,
      chart: chart.hash,
      source: "file",
      phase: "running",
      waitsFor: [],
      state: last.state,
      startedAt: history.startedAt ?? 0,
      updatedAt: history.updatedAt ?? 0,
      steps: history.last,
      usage: {},
      pending: 0,
      can: [],
      title: bypass.message.slice(0, 80),
    },
  };
  return [
    line(header),
    line({ chart: chart.chart, layouts: null, hash: chart.hash }),
    ...history.states.map((state) => line({ state })),
    ...stepLines(history),
  ].join("");
}

/** The steps of a history as lines. */
function* stepLines(history: History): Generator<string> {
  for (let next = 1; next <= history.last;) {
    const { bytes, count } = history.from(next, Number.POSITIVE_INFINITY);
    for (const step of JSON.parse(`[${textOfBytes(bytes)}]`) as readonly object[]) yield line(step);
    next += count;
  }
}
