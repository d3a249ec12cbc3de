import type { AgentConfig } from "../../agent/options/agent-config.ts";
import type { RuleData } from "../../core/tool/rules/law.ts";
import type { Rule } from "../../core/tool/rules/rule.ts";
import { drawing, waitingStates } from "../explorer/edges.ts";
import type { Bypass, RuleReport, RulesReport, WalkReport } from "./report.ts";
import { subjectsOf, underCheck, type CheckOptions, type Subject } from "./subjects.ts";
import { WalkThreads, walkHere, type Task } from "./threads.ts";
import type { Walked } from "./walk-rule.ts";
import type { Extent, RuleWorld } from "./worlds.ts";

const DEFAULTS: Extent & { readonly timeLimitMs: number } = {
  turns: 1,
  iterations: 2,
  batch: 2,
  disturbances: 1,
  resumptions: 1,
  timeLimitMs: 60_000,
};

/** The walks for a rule: each goes further than the one before. */
export function extentsOf({
  turns,
  iterations,
  batch,
  disturbances,
  resumptions,
}: Extent): readonly Extent[] {
  const first = Math.min(1, resumptions);
  const all: readonly Extent[] = [
    { turns: 1, iterations: 1, batch: 1, disturbances: 0, resumptions: first },
    { turns: 1, iterations, batch, disturbances: 0, resumptions: first },
    { turns: 1, iterations, batch, disturbances, resumptions: first },
    { turns: 1, iterations, batch, disturbances, resumptions },
    { turns, iterations, batch, disturbances, resumptions },
  ];
  const isSame = (one: Extent, other: Extent): boolean => JSON.stringify(one) === JSON.stringify(other);
  return all.filter((extent, index) => index === 0 || !isSame(extent, all[index - 1]!));
}

/** The world with the guard of its rule removed: a walk that does not find a bypass there would find none anywhere. */
function unguarded(ruled: RuleWorld): RuleWorld {
  const { world, rule } = ruled;
  const rules = world.settings.rules!.map((each): RuleData =>
    each.name === rule.name ? { ...each, mode: "shadow" } : each,
  );
  return { ...ruled, world: { ...world, settings: { ...world.settings, rules } } };
}

type Make = (task: Omit<Task, "until">, rule: string) => Promise<Walked>;

function bypassOf({ bypass }: Walked, rule: Rule, extent: Extent): Bypass | undefined {
  if (!bypass) return undefined;
  const { message, path } = bypass;
  const assumes = rule.parts.functions.map((each) => `${rule.data.name}: ${String(each)}`);
  return { message, path, story: path.map(sentenceOf), assumes, extent };
}

/** Walks one rule with rising bounds, until it is broken, all is walked, or the time is over. */
async function reportOn(
  { rule, kind, worldOf }: Subject,
  extents: readonly Extent[],
  isSmallest: boolean,
  make: Make,
) {
  const { name, says } = rule.data;
  const walks: WalkReport[] = [];
  const seen: Walked[] = [];
  let within: Extent | undefined;
  let bypass: Bypass | undefined;
  for (const extent of extents) {
    const measuresRuns = isSmallest && extent.disturbances === 0;
    const walked = await make({ ruled: worldOf(extent), extent, measuresRuns }, name);
    seen.push(walked);
    const { states, transitions, seconds, isWhole, situations } = walked;
    walks.push({
      ...extent,
      states,
      transitions,
      situations,
      seconds,
      isWhole: isWhole || walked.bypass !== undefined,
    });
    bypass = bypassOf(walked, rule, extent);
    if (bypass || !isWhole) break;
    within = extent;
  }
  const isWhole = walks.at(-1)!.isWhole && walks.length === extents.length;
  let planted: number | undefined;
  let isKnown = isWhole; // what the rule does, and what happens without it
  if (kind === "enforced" && !bypass) {
    for (const extent of extents.slice(0, walks.length)) {
      const task = { ruled: unguarded(worldOf(extent)), extent, measuresRuns: false };
      const walked = await make(task, name);
      planted = walked.bypass?.path.length;
      if (planted !== undefined) break;
      isKnown &&= walked.isWhole;
    }
  }
  const isIdle = kind === "enforced" && planted === undefined;
  const result: RuleReport["result"] = bypass ? "broken" : !isKnown ? "unknown" : isIdle ? "idle" : "holds";
  const [last, former] = [walks.at(-1), walks.at(-2)];
  const report: RuleReport = {
    rule: name,
    says,
    kind,
    result,
    ...(within && { within }),
    walks,
    isSaturated: isWhole && former !== undefined && last!.situations === former.situations,
    ...(planted !== undefined && { planted }),
    ...(bypass && { bypass }),
  };
  return { report, seen };
}

/** The subject whose calls can be read in the fewest ways: in its walks the longest run is looked for. */
function smallestOf(subjects: readonly Subject[], extent: Extent): Subject | undefined {
  const sizeOf = ({ worldOf }: Subject): number =>
    worldOf(extent).world.desk!.tools.reduce(
      (sum, { letters, others }) => sum + letters.length + others.length,
      0,
    );
  return subjects.toSorted((one, other) => sizeOf(one) - sizeOf(other))[0];
}

const WORST: readonly RuleReport["result"][] = ["holds", "idle", "unknown", "broken"];

/**
 * Proves the rules of an agent within bounds, before it runs. It walks the agent's chart with a model that may ask for any batch of calls, all
 * that its hooks may return, every decision of a person, and a crash at each step; each function of a rule is tried both ways. A rule of
 * the mode `shadow` is a claim: it is not enforced, and the shortest way round it is found. A rule that holds is also walked without its
 * guard, where a bypass must be found. Resolves within the time limit; what was not walked by then is `unknown`, and never `holds`. Rejects
 * `config/invalid` for a wrong configuration, for bounds that are none, and for rules whose functions read more than their arguments.
 *
 * @example
 * ```ts
 * import { defineTool, type ChatModel } from "agentchart";
 * import { checkRules } from "agentchart/check";
 * import { before } from "agentchart/rules";
 *
 * export async function prove(model: ChatModel): Promise<string> {
 *   const tool = (name: string) => defineTool({ name, description: name, input: { type: "object" }, execute: () => "done" });
 *   const report = await checkRules({
 *     name: "desk",
 *     model,
 *     tools: [tool("verify"), tool("refund")],
 *     rules: [before("verify", "refund")],
 *   });
 *   return report.result;
 * }
 * ```
 */
export async function checkRules<Ctx = unknown>(
  config: AgentConfig<Ctx>,
  options: CheckOptions = {},
): Promise<RulesReport> {
  const { assume = [], gate, onProgress } = options;
  const agent = underCheck(config as unknown as AgentConfig<never>, options);
  const { timeLimitMs, ...bounds } = { ...DEFAULTS, ...given(options) };
  const extents = extentsOf(bounds);
  const begun = performance.now();
  const until = Date.now() + timeLimitMs;
  const threads = gate || options.threads === 0 ? undefined : new WalkThreads(options.threads);
  const make: Make = async (task, rule) => {
    const tell = (states: number, transitions: number): void =>
      onProgress?.({ ...task.extent, rule, states, transitions });
    return threads ? threads.run({ ...task, until }, tell) : walkHere({ ...task, until }, tell);
  };
  try {
    const subjects = subjectsOf(agent, options);
    const smallest = smallestOf(subjects, extents[0]!);
    const found = await Promise.all(
      subjects.map((subject) => reportOn(subject, extents, subject === smallest, make)),
    );
    const seen = found.flatMap((each) => each.seen);
    const of = (part: "ran" | "edges" | "leaves"): ReadonlySet<string> =>
      new Set(seen.flatMap((each) => each[part]));
    const [ran, edges, leaves] = [of("ran"), of("edges"), of("leaves")];
    const reports = found.map(({ report }) => report);
    const asked = new Set(
      subjects.flatMap(({ worldOf }) => worldOf(extents[0]!).world.desk!.tools.map(({ name }) => name)),
    );
    return {
      agent: agent.name,
      result: WORST.findLast((result) => reports.some((report) => report.result === result)) ?? "holds",
      rules: reports,
      unreachableTools: agent.classes
        .filter(({ names: [first] }) => asked.has(first!) && !ran.has(first!))
        .flatMap(({ names }) => names),
      unreachableStates: waitingStates.map(({ path }) => path).filter((path) => !leaves.has(path)),
      untakenEdges: drawing.edges.map(({ id }) => id).filter((id) => !edges.has(id)),
      longestRun: Math.max(0, ...seen.map(({ longest }) => longest)),
      leftOut: agent.leftOut,
      assumed: assume,
      seconds: (performance.now() - begun) / 1_000,
    };
  } finally {
    await threads?.close();
  }
}

const given = ({ turns, iterations, batch, disturbances, resumptions, timeLimitMs }: CheckOptions) =>
  Object.fromEntries(
    Object.entries({ turns, iterations, batch, disturbances, resumptions, timeLimitMs }).filter(
      ([, value]) => value !== undefined,
    ),
  ) as Partial<typeof DEFAULTS>;

const PATTERNS: readonly (readonly [RegExp, (...parts: string[]) => string])[] = [
  [/^call\((.*?)\)(?: after (\d+) ms)?$/, (what, ms) => `${later(ms)}The agent is called with ${what}.`],
  [/^callModel: asks for (.*)$/, (names) => `The model asks for ${names}.`],
  [/^callModel: (.*)$/, (what) => `The model answers: ${what}.`],
  [/^reviewCalls: (.*)$/, (what) => `The review says: ${what}.`],
  [/^checkBreakpoints: none$/, () => "No breakpoint holds."],
  [/^checkBreakpoints: holds$/, () => "A breakpoint holds before the model is asked."],
  [/^runHooks (\w+): (.*)$/, (point, what) => `A hook of ${point} returns: ${what}.`],
  [/^tool (\d+): (.*)$/, (place, what) => `Call ${place} of the batch ends: ${what}.`],
  [
    /^tool\.decide\((.*?)\) on (call \d+)(?: by (.*?))?(?: after (\d+) ms)?$/,
    (what, call, by, ms) => `${later(ms)}${by || "Somebody"} decides about ${call}: ${what}.`,
  ],
  [/^timer\.due$/, () => "The timer of the session comes due."],
  [/^crash$/, () => "The process dies, and another one goes on from the stored session."],
  [/^commit: done$/, () => "The results are stored."],
  [/^run\.interrupt(.*)$/, (how) => `Somebody interrupts the turn${how}.`],
  [/^run\.shutdown$/, () => "The process is shut down."],
  [/^run\.steer$/, () => "A message is said into the turn."],
  [/^session\.edit$/, () => "Somebody edits the messages of the session."],
];

// the clock of a walk is its own: each jump of it is longer than the window of a rule
const later = (ms: string | undefined): string => (ms ? "After more time than a window of a rule: " : "");

/** Returns a step of a path as a sentence. */
function sentenceOf(label: string): string {
  for (const [pattern, say] of PATTERNS) {
    const found = pattern.exec(label);
    if (found) return say(...found.slice(1).map((part) => part ?? ""));
  }
  return `${label}.`;
}
