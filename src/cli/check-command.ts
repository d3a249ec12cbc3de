import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentConfig } from "../agent/options/agent-config.ts";
import { configError } from "../core/base/error.ts";
import {
  bypassRun,
  checkRules,
  type CheckOptions,
  type RuleReport,
  type RulesReport,
} from "../testing/check/index.ts";
import { makeConfig } from "../worker/make-config.ts";
import type { CliIo } from "./cli-io.ts";
import type { Handler } from "./define-command.ts";
import type { check as definition } from "./definitions.ts";
import { withoutControls } from "./terminal.ts";
import { UsageError } from "./usage-error.ts";
import { loadAgents } from "./workers/load-agents.ts";

/** The exit codes of the results, the worst last. */
const CODES: { readonly [result in RulesReport["result"]]: number } = {
  holds: 0,
  idle: 3,
  unknown: 3,
  broken: 1,
};

/** `agentchart check`. */
export const checkCommand: Handler<typeof definition> = async ({ args, flags }, io) => {
  const { turns, iterations, batch, disturbances, resumptions, timeLimit, threads } = flags;
  const agents = await loadAgents(args.file);
  if (flags.agent !== undefined && !Object.hasOwn(agents, flags.agent))
    throw new UsageError(
      `${args.file} has no agent '${flags.agent}'; it has ${Object.keys(agents).join(", ")}.`,
    );
  const options: CheckOptions = {
    ...Object.fromEntries(
      Object.entries({
        ...{ turns, iterations, batch, disturbances, resumptions, threads, timeLimitMs: timeLimit },
      }).filter(([, value]) => value !== undefined),
    ),
    assume: flags.assume,
    questions: { withoutApproval: flags.withoutApproval, endWithout: flags.endWithout },
    onProgress: ({ rule, states, transitions }) =>
      io.terminal.status(`${rule}: ${states} states, ${transitions} transitions`),
  };
  const reports: RulesReport[] = [];
  for (const [name, make] of Object.entries(agents)) {
    if (flags.agent !== undefined && flags.agent !== name) continue;
    const session = { sessionId: `check of ${name}`, meta: { agent: name } };
    const config = (await makeConfig(make, session)) as unknown as AgentConfig;
    const report = await checkRules(config, options);
    io.terminal.status("");
    reports.push(report);
    if (!flags.json) io.stdout.write(`${withoutControls(textOf(report))}\n`);
    if (flags.runs !== undefined) await writeRuns(flags.runs, config, report, options, io);
  }
  if (reports.every(({ rules }) => rules.length === 0))
    throw configError(`The agents of ${args.file} have no rules: there is nothing to prove.`);
  if (flags.json) io.stdout.write(`${JSON.stringify(reports, null, 2)}\n`);
  const codes = reports.map(({ result }) => CODES[result]);
  return codes.includes(1) ? 1 : Math.max(...codes);
};

async function writeRuns(
  folder: string,
  config: AgentConfig,
  { agent, rules }: RulesReport,
  options: CheckOptions,
  io: CliIo,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [index, report] of rules.entries()) {
    if (!report.bypass) continue;
    const file = join(folder, `${`${agent}-${index + 1}`.replaceAll(/[^\w-]+/g, "_")}.jsonl`);
    await writeFile(file, bypassRun(config, report, options));
    io.terminal.hint(`agentchart inspect --open ${file}`);
  }
}

const count = (value: number): string => value.toLocaleString("en-US");

function ruleText(report: RuleReport): readonly string[] {
  const { rule, kind, result, says, walks, isSaturated, bypass, within } = report;
  const last = walks.at(-1)!;
  const total = walks.reduce((sum, { seconds }) => sum + seconds, 0);
  const bounds = within
    ? `within ${within.turns} turns, ${within.iterations} iterations, ${within.batch} calls an answer, ${within.disturbances} disturbances, ${within.resumptions} resumptions`
    : "within no bounds";
  const told = `${count(last.states)} states, ${total.toFixed(1)} s${isSaturated ? ", saturated" : ""}`;
  return [
    `${result.padEnd(8)} ${rule}${kind === "claim" ? " (claim)" : ""}: ${says}`,
    ...(bypass
      ? [
          `         ${bypass.message}`,
          ...bypass.story.map((step, index) => `         ${index + 1}. ${step}`),
          ...bypass.assumes.map((each) => `         if this may give it: ${each}`),
        ]
      : [`         ${bounds}: ${told}`]),
  ];
}

function textOf(report: RulesReport): string {
  const { agent, rules, unreachableTools, leftOut, assumed, longestRun, seconds } = report;
  return [
    `${agent}: ${rules.length} rules and claims, ${seconds.toFixed(1)} s`,
    ...rules.flatMap(ruleText),
    `longest run: ${longestRun} steps`,
    ...(unreachableTools.length > 0 ? [`never ran: ${unreachableTools.join(", ")}`] : []),
    ...(leftOut.length > 0 ? [`not walked: ${leftOut.join(", ")}`] : []),
    ...(assumed.length > 0 ? [`assumed not to change: ${assumed.join(", ")}`] : []),
  ].join("\n");
}
