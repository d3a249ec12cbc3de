import { isObject } from "../../../src/core/base/json.ts";
import { callRecords, isMessage } from "../logic/message-shape.ts";
import { sumUsage, totalsAt } from "../logic/totals.ts";
import type { Work } from "../logic/work.ts";
import type { JsonObject, Msg, RecordedCall, Usage } from "../wire/types.ts";
import type { MapLog } from "./map-log.ts";
import type { Place } from "./places.ts";

/** Counts what was done so far, in calls of a tool or requests to a model. */
export type Tally = {
  readonly calls: number;
  readonly failures: number;
  readonly running: number;
  /** Attempts after the first. */
  readonly retries: number;
  /** The number of times that a person was asked. */
  readonly asks: number;
  readonly ms: number;
};
/** A tool that is or was offered. `agent`: the sub-agent that runs inside of its calls. */
export type ToolEntry = Tally & {
  readonly name: string;
  readonly isOffered: boolean;
  readonly agent?: string;
  /** The newest known run of the sub-agent. */
  readonly runId?: string;
};
/** The model as one persona asks it; null: the agent itself. */
export type Lane = Tally & {
  readonly persona: string | null;
  readonly isCurrent: boolean;
  readonly usage: Pick<Usage, "inputTokens" | "outputTokens" | "cost">;
};
/** A hook, or all hooks of a point if it is not known which; how often they ran and how often they changed something. */
export type HookEntry = {
  readonly point: string;
  readonly name: string;
  readonly ran: number;
  readonly changed: number;
};
/** The questions to people and their decisions. */
export type PeopleEntry = {
  readonly asks: number;
  readonly waiting: readonly string[];
  /** The number of times that each decision was made. */
  readonly decisions: ReadonlyMap<string, number>;
  readonly names: readonly string[];
};
/** The request to the model that is shown: the newest one. */
export type PromptEntry = {
  readonly model?: string;
  /** As the provider counted it. */
  readonly tokens?: number;
  readonly window?: number;
  readonly messages: number;
  /** The messages before it that the model does not see. */
  readonly leftOut: number;
  readonly compactions: number;
};

/** An agent as a person thinks of it, as far as a run has come. */
export type AgentMap = {
  readonly agent: string;
  readonly active: Place | undefined;
  readonly inputs: number;
  readonly prompt: PromptEntry;
  readonly lanes: readonly Lane[];
  /** The usage of all of them; the cost is unknown if that of one call is. */
  readonly usage: Lane["usage"];
  readonly tools: readonly ToolEntry[];
  readonly agents: readonly ToolEntry[];
  readonly people: PeopleEntry;
  readonly plan?: { readonly done: number; readonly total: number };
  readonly answers: number;
  /** The reason for which the newest turn came to rest; absent while one runs. */
  readonly reason?: string;
  readonly hooks: readonly HookEntry[];
  /** The number of times that each edge was taken, and the newest step in which it was. */
  readonly edges: ReadonlyMap<EdgeId, { readonly taken: number; readonly last: number }>;
};

/** The edges of the map. */
export const EDGES = [
  "input>prompt",
  "prompt>model",
  "model>tools",
  "tools>prompt",
  "model>agents",
  "agents>prompt",
  "tools>people",
  "people>tools",
  "plan>prompt",
  "model>answer",
] as const;
/** One of {@link EDGES}. */
export type EdgeId = (typeof EDGES)[number];

/** Holds what of the page the map is made of, beside the steps. `innerRuns`: the run and agent inside of a call, by the id of the call. */
export type MapInput = {
  readonly log: MapLog;
  readonly stepNumber: number;
  readonly context: JsonObject | undefined;
  readonly agent: string;
  readonly active: Place | undefined;
  readonly innerRuns: ReadonlyMap<string, { readonly agent: string; readonly runId: string }>;
};

const isNone = (name: string): boolean => name === "";
/** The reasons of a turn that rests, but has not ended. */
const RESTS = new Set(["TOOL_SUSPENDED", "APPROVAL_REQUIRED", "OUTCOME_UNKNOWN", "BREAKPOINT"]);
/** The description that `agentTool` gives its argument: by it a tool that was never called is known to be an agent. */
export const AGENT_MESSAGE = "What to tell the agent.";

/** Returns the map of a run at a step. */
export function agentMap(input: MapInput): AgentMap {
  const { log, stepNumber, context = {}, agent, active } = input;
  const works = log.works.filter(({ from }) => from <= stepNumber);
  const request = log.requests.findLast(({ step }) => step <= stepNumber)?.call;
  const settings = isObject(context["settings"]) ? context["settings"] : {};
  const handoffs = handoffsOf(settings, log, stepNumber);
  const entries = toolEntries(input, works, handoffs);
  const until = <T extends { readonly step: number }>(all: readonly T[]): readonly T[] =>
    all.filter(({ step }) => step <= stepNumber);
  const ends = until(log.ends);
  const end = ends.at(-1);
  const isAtRest = !works.some(({ kind, to }) => kind === "turn" && (to === undefined || to > stepNumber));
  const plan = planOf(context);
  return {
    agent,
    active,
    inputs: until(log.inputs).length,
    prompt: promptOf(request, context, settings),
    lanes: lanesOf(input, works, [...new Set(handoffs.values())]),
    usage: totalsAt(context),
    tools: entries.filter(({ agent }) => agent === undefined),
    agents: entries.filter(({ agent }) => agent !== undefined),
    people: peopleOf(input),
    ...(plan && { plan }),
    answers: ends.filter(({ reason }) => !RESTS.has(reason)).length,
    ...(end && isAtRest && { reason: end.reason }),
    hooks: hooksOf(input, works),
    edges: edgesOf(input, works, entries, handoffs),
  };
}

const NO_WORK: Tally = { calls: 0, failures: 0, running: 0, retries: 0, asks: 0, ms: 0 };

/** Adds work up to a step: one that ended later is running. */
function withWork(tally: Tally, { attempt, state, to, begin, end }: Work, stepNumber: number): Tally {
  const isOver = to !== undefined && to <= stepNumber;
  return {
    ...tally,
    calls: tally.calls + (attempt === 1 ? 1 : 0),
    retries: tally.retries + (attempt > 1 ? 1 : 0),
    failures: tally.failures + (isOver && state === "failed" ? 1 : 0),
    running: tally.running + (isOver ? 0 : 1),
    ms: tally.ms + (isOver ? (end ?? begin) - begin : 0),
  };
}

/** The persona to which each tool of a handoff leads. Of a stored run the tools are known by their names. */
function handoffsOf(settings: JsonObject, log: MapLog, stepNumber: number): ReadonlyMap<string, string> {
  const given = isObject(settings["handoffs"]) ? settings["handoffs"]["tools"] : undefined;
  if (isObject(given)) return new Map(Object.entries(given).map(([tool, to]) => [tool, String(to)]));
  const seen = new Set(
    log.personas.flatMap(({ name, step }) => (name !== null && step <= stepNumber ? [name] : [])),
  );
  return new Map([...seen].map((name) => [`transfer_to_${name}`, name]));
}

function toolEntries(
  { log, stepNumber, innerRuns }: MapInput,
  works: readonly Work[],
  handoffs: ReadonlyMap<string, string>,
): readonly ToolEntry[] {
  const requests = log.requests.filter(({ step }) => step <= stepNumber);
  const offered = new Map(
    requests.flatMap(({ call }) => call.tools.map((tool) => [tool.name, tool] as const)),
  );
  const newest = new Map<string | null, ReadonlySet<string>>();
  for (const { call, persona } of requests) newest.set(persona, new Set(call.tools.map(({ name }) => name)));
  const now = new Set([...newest.values()].flatMap((names) => [...names]));
  const tallies = new Map([...offered.keys()].map((name) => [name, NO_WORK]));
  const inside = new Map<string, { readonly agent: string; readonly runId: string }>();
  for (const work of works) {
    if (work.kind !== "tool") continue;
    tallies.set(work.name, withWork(tallies.get(work.name) ?? NO_WORK, work, stepNumber));
    const inner = work.callId === undefined ? undefined : innerRuns.get(work.callId);
    if (inner) inside.set(work.name, inner);
  }
  for (const { tool, step } of log.asks) {
    const tally = tallies.get(tool);
    if (step <= stepNumber && tally) tallies.set(tool, { ...tally, asks: tally.asks + 1 });
  }
  const entries = [...tallies].flatMap(([name, tally]): readonly ToolEntry[] => {
    if (handoffs.has(name) || isNone(name)) return [];
    const inner = inside.get(name);
    const isAgent = inner !== undefined || isAgentTool(offered.get(name)?.inputSchema);
    return [
      {
        name,
        ...tally,
        isOffered: now.has(name),
        ...(isAgent && { agent: inner?.agent ?? name.replace(/^call_/, "") }),
        ...(inner && { runId: inner.runId }),
      },
    ];
  });
  return entries.toSorted((a, b) => rankOf(b) - rankOf(a));
}

/** Running tools first, then by calls; those that were never called keep their order. */
const rankOf = ({ running, calls, asks }: Tally): number => running * 1e6 + calls + asks / 1e3;

function isAgentTool(schema: JsonObject | undefined): boolean {
  const properties = isObject(schema?.["properties"]) ? schema["properties"] : {};
  return isObject(properties["message"]) && properties["message"]["description"] === AGENT_MESSAGE;
}

function lanesOf(
  { log, stepNumber, context }: MapInput,
  works: readonly Work[],
  personas: readonly string[],
): readonly Lane[] {
  const messages = context?.["messages"];
  const answers = (Array.isArray(messages) ? messages : [])
    .filter(isMessage)
    .filter(({ role, usage }) => role === "assistant" && usage !== undefined);
  const usages = Map.groupBy(answers, personaOf);
  const now = log.personaAt(stepNumber);
  const names = new Set<string | null>([null, ...personas, ...usages.keys(), now]);
  return [...names].map((persona) => ({
    ...works
      .filter(({ kind, from }) => kind === "model" && log.personaAt(from) === persona)
      .reduce((tally, work) => withWork(tally, { ...work, attempt: 1 }, stepNumber), NO_WORK),
    persona,
    isCurrent: persona === now,
    usage: sumUsage((usages.get(persona) ?? []).flatMap(({ usage }) => usage ?? [])),
  }));
}

/** The persona that a message is from; null: the agent itself. */
export function personaOf({ metadata }: Msg): string | null {
  const persona = metadata?.["persona"];
  return typeof persona === "string" ? persona : null;
}

function promptOf(request: RecordedCall | undefined, context: JsonObject, settings: JsonObject): PromptEntry {
  const messages = Array.isArray(context["messages"]) ? context["messages"].filter(isMessage) : [];
  const counted = messages.findLast(
    ({ role, usage }) => role === "assistant" && usage?.inputTokens !== undefined,
  );
  const compaction = isObject(settings["compaction"]) ? settings["compaction"]["window"] : undefined;
  const window =
    request?.window ?? (typeof compaction === "number" ? compaction : undefined) ?? request?.bound?.maxTokens;
  const progress = isObject(context["progress"]) ? context["progress"]["compactions"] : undefined;
  const count = isObject(progress) ? progress["count"] : 0;
  return {
    ...(request && { model: request.model }),
    ...(counted?.usage?.inputTokens !== undefined && { tokens: counted.usage.inputTokens }),
    ...(window !== undefined && { window }),
    messages: request?.length ?? messages.length,
    leftOut: request?.view?.from ?? 0,
    compactions: typeof count === "number" ? count : 0,
  };
}

function peopleOf({ log, stepNumber, context }: MapInput): PeopleEntry {
  const made = log.decisions.filter(({ step }) => step <= stepNumber);
  const waiting = callRecords(context?.["calls"]).flatMap(({ call, asks, status, decided }) =>
    (asks !== undefined || status === "suspended") && decided === undefined && status !== "done"
      ? [call.name]
      : [],
  );
  return {
    asks: log.asks.filter(({ step }) => step <= stepNumber).length,
    waiting,
    decisions: new Map([...Map.groupBy(made, ({ kind }) => kind)].map(([kind, all]) => [kind, all.length])),
    names: [...new Set(made.flatMap(({ by }) => by ?? []))],
  };
}

function planOf({ slots }: JsonObject): AgentMap["plan"] {
  if (!isObject(slots)) return undefined;
  const slot = isObject(slots["plan"]) ? slots["plan"]["value"] : undefined;
  const todos = isObject(slots["todos"]) ? slots["todos"]["value"] : undefined;
  const subtasks = isObject(slot) ? slot["subtasks"] : undefined;
  const all = (Array.isArray(subtasks) ? subtasks : Array.isArray(todos) ? todos : []).filter(isObject);
  if (all.length === 0) return undefined;
  const isDone = ({ state, status }: JsonObject): boolean => state === "done" || status === "completed";
  return { done: all.filter(isDone).length, total: all.length };
}

function hooksOf({ log, stepNumber }: MapInput, works: readonly Work[]): readonly HookEntry[] {
  const ran = Map.groupBy(
    works.filter(({ kind }) => kind === "hooks"),
    ({ name }) => name,
  );
  const deeds = log.deeds.filter(({ step }) => step <= stepNumber);
  const points = new Set([...ran.keys(), ...deeds.map(({ point }) => point)]);
  return [...points].flatMap((point): readonly HookEntry[] => {
    const count = ran.get(point)?.length ?? 0;
    const named = [
      ...Map.groupBy(
        deeds.filter((deed) => deed.point === point),
        ({ hook }) => hook,
      ),
    ];
    if (named.length === 0) return [{ point, name: "", ran: count, changed: 0 }];
    return named.map(([name, all]) => ({
      point,
      name,
      ran: Math.max(count, all.length),
      changed: all.length,
    }));
  });
}

function edgesOf(
  { log, stepNumber }: MapInput,
  works: readonly Work[],
  entries: readonly ToolEntry[],
  handoffs: ReadonlyMap<string, string>,
): AgentMap["edges"] {
  const agents = new Set(entries.flatMap(({ name, agent }) => (agent === undefined ? [] : [name])));
  return new Map(
    EDGES.map((id) => {
      const steps = edgeSteps(log, works, id, agents, handoffs).filter((step) => step <= stepNumber);
      return [id, { taken: steps.length, last: Math.max(0, ...steps.slice(-1)) }];
    }),
  );
}

/** The steps in which an edge of the map was taken, oldest first. */
export function edgeSteps(
  log: MapLog,
  works: readonly Work[],
  id: EdgeId,
  agents: ReadonlySet<string>,
  handoffs: ReadonlyMap<string, string> = new Map(),
): readonly number[] {
  const steps = (all: readonly { readonly step: number }[]): readonly number[] => all.map(({ step }) => step);
  const calls = works.filter(({ kind, name }) => kind === "tool" && !handoffs.has(name));
  const asking = new Set<string | undefined>();
  const resumed = new Set<Work>(); // the model has not called again
  for (const work of calls) {
    if (asking.delete(work.callId)) resumed.add(work);
    if (work.asks) asking.add(work.callId);
  }
  const begun = (isOf: (work: Work) => boolean): readonly number[] =>
    calls.flatMap((work) => (isOf(work) && !resumed.has(work) ? [work.from] : []));
  const ended = (isOf: (work: Work) => boolean): readonly number[] =>
    calls
      .flatMap((work) => (isOf(work) && work.to !== undefined && !work.asks ? [work.to] : []))
      .toSorted((a, b) => a - b);
  const isAgent = ({ name }: Work): boolean => agents.has(name);
  const isTool = ({ name }: Work): boolean => !agents.has(name);
  switch (id) {
    case "input>prompt":
      return steps(log.inputs);
    case "prompt>model":
      return works.flatMap(({ kind, from }) => (kind === "model" ? [from] : []));
    case "model>tools":
      return begun(isTool);
    case "model>agents":
      return begun(isAgent);
    case "tools>prompt":
      return ended(isTool);
    case "agents>prompt":
      return ended(isAgent);
    case "tools>people":
      return steps(log.asks);
    case "people>tools":
      return steps(log.decisions);
    case "plan>prompt":
      return steps(log.plans);
    case "model>answer":
      return steps(log.ends.filter(({ reason }) => !RESTS.has(reason)));
  }
}
