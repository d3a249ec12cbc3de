import { compact, duration, money, safeText } from "../logic/format.ts";
import { outcomeOf } from "../logic/outcome.ts";
import { hooksText } from "../logic/step-title.ts";
import type { Tone } from "../logic/chart-index.ts";
import type { IconName } from "../parts/icon.tsx";
import type { AgentMap, HookEntry, Lane, Tally } from "./agent-map.ts";
import { foldedTools } from "./fold-tools.ts";
import type { Place } from "./places.ts";
import type { Row } from "./rows.ts";
import { t } from "../words/t.ts";

/** The cards of a map. */
export const CARDS = ["input", "prompt", "model", "tools", "agents", "people", "plan", "answer"] as const;
/** One of {@link CARDS}. */
export type CardId = (typeof CARDS)[number];

/** A card of the map before it is laid out. */
export type Card = {
  readonly id: CardId;
  /** The part of the chart that it stands for. */
  readonly place: Place;
  readonly tone: Tone;
  readonly icon: IconName;
  readonly title: string;
  readonly value: string;
  /** The value where there is little room; absent: none. */
  readonly short?: string;
  readonly label: string;
  readonly rows: readonly Row[];
  readonly isActive: boolean;
  /** Nothing has happened in it. */
  readonly isGrey: boolean;
};

/** Options for what of the lists is folded, and for the height of the cards. */
export type CardOptions = {
  /** The folded lists and groups that a person has opened, by the key of their row. */
  readonly opened: ReadonlySet<string>;
  /** The greatest number of rows of the tools and of the sub-agents. */
  readonly toolRows: number;
  readonly agentRows: number;
  /** The points whose hooks are named on their edges. */
  readonly named: ReadonlySet<string>;
};

const plural = (count: number, one: "message" | "call" | "time"): string => {
  const n = compact(count);
  if (one === "message") return count === 1 ? t("1 message") : t`${n} messages`;
  if (one === "call") return count === 1 ? t("1 call") : t`${n} calls`;
  return count === 1 ? t("1 time") : t`${n} times`;
};

/** Returns the cards of a map, in the order of a turn. */
export function cardsOf(map: AgentMap, options: CardOptions): readonly Card[] {
  const { active, inputs, prompt, lanes, tools, agents, people, plan, answers, reason } = map;
  const total = lanes.reduce(addTallies);
  const all: readonly (Card | undefined)[] = [
    {
      id: "input",
      place: "input",
      tone: "blue",
      icon: "user",
      title: t("Input"),
      value: inputs === 0 ? "" : `${compact(inputs)}×`,
      label: t`Input: ${plural(inputs, "message")}`,
      rows: [],
      isActive: active === "input",
      isGrey: inputs === 0,
    },
    {
      id: "prompt",
      place: "prompt",
      tone: "slate",
      icon: "detail",
      title: t("Prompt"),
      value: prompt.tokens === undefined ? "" : t`${compact(prompt.tokens)} tokens`,
      short: compact(prompt.tokens).replace("–", ""),
      label: t`Prompt: ${plural(prompt.messages, "message")}`,
      rows: [...promptRows(map), ...hookRows(map, options, PROMPT_POINTS)],
      isActive: active === "prompt",
      isGrey: prompt.model === undefined,
    },
    {
      id: "model",
      place: "model",
      tone: "violet",
      icon: "model",
      title: safeText(prompt.model ?? t("Model")),
      value: total.calls === 0 ? "" : `${compact(total.calls)}×`,
      label: t`Model ${prompt.model ?? ""}: ${plural(total.calls, "call")}, ${duration(total.ms)}`,
      rows: [...modelRows(map, total), ...hookRows(map, options, ["postReasoning"])],
      isActive: active === "model",
      isGrey: total.calls === 0,
    },
    {
      id: "tools",
      place: "tools",
      tone: "cyan",
      icon: "tool",
      title: t("Tools"),
      value: tools.length === 0 ? t("none") : t`${tools.filter(isUsed).length} of ${tools.length} called`,
      short: `${tools.filter(isUsed).length}/${tools.length}`,
      label: t`Tools: ${tools.filter(isUsed).length} of ${tools.length} called`,
      rows: [
        ...hookRows(map, options, ["preActing", "postActing"]),
        ...foldedTools(tools, options.toolRows, options.opened, "tools"),
      ],
      isActive: active === "tools" && !(agents.some(isRunning) && !tools.some(isRunning)),
      isGrey: !tools.some(isUsed),
    },
    agents.length === 0
      ? undefined
      : {
          id: "agents",
          place: "tools",
          tone: "pink",
          icon: "fork",
          title: t("Sub-agents"),
          value: t`${agents.filter(isUsed).length} of ${agents.length} called`,
          short: `${agents.filter(isUsed).length}/${agents.length}`,
          label: t`Sub-agents: ${agents.filter(isUsed).length} of ${agents.length} called`,
          rows: foldedTools(agents, options.agentRows, options.opened, "agents"),
          isActive: active === "tools" && agents.some(isRunning),
          isGrey: !agents.some(isUsed),
        },
    people.asks + people.decisions.size + people.waiting.length === 0 && active !== "people"
      ? undefined
      : {
          id: "people",
          place: "people",
          tone: "amber",
          icon: "hand",
          title: t("People"),
          value: people.asks === 0 ? "" : t`asked ${compact(people.asks)}×`,
          short: `${compact(people.asks)}×`,
          label: t`People: asked ${plural(people.asks, "time")}`,
          rows: peopleRows(map),
          isActive: active === "people",
          isGrey: false,
        },
    plan && {
      id: "plan",
      place: "tools",
      tone: "green",
      icon: "outline",
      title: t("Plan"),
      value: t`${plan.done} of ${plan.total} done`,
      short: `${plan.done}/${plan.total}`,
      label: t`Plan: ${plan.done} of ${plan.total} done`,
      rows: [{ kind: "gauge", key: "plan", text: "", share: plan.done / plan.total, tone: "green", rank: 2 }],
      isActive: false,
      isGrey: false,
    },
    {
      id: "answer",
      place: "answer",
      tone: reason === undefined ? "green" : toneOfEnd(reason),
      icon: reason === undefined ? "message" : iconOfEnd(reason),
      title: reason === undefined || answers === 0 ? t("Answer") : endOf(reason).label,
      value: answers === 0 ? "" : `${compact(answers)}×`,
      label: t`Answer: ${reason === undefined ? t("not yet") : endOf(reason).label}`,
      rows: hookRows(map, options, ["postCall", "onError", "onInterrupt"]),
      isActive: active === "answer",
      isGrey: answers === 0,
    },
  ];
  return all.filter((card) => card !== undefined);
}

const endOf = (reason: string) =>
  outcomeOf({ phase: "idle", reason, waitsFor: [], pending: 0 } as unknown as Parameters<
    typeof outcomeOf
  >[0]);
const toneOfEnd = (reason: string): Tone => endOf(reason).tone;
const iconOfEnd = (reason: string): IconName => endOf(reason).icon;

const isUsed = ({ calls, asks }: Tally): boolean => calls + asks > 0;
const isRunning = ({ running }: Tally): boolean => running > 0;

const addTallies = (one: Lane, other: Lane): Lane => ({
  ...one,
  calls: one.calls + other.calls,
  failures: one.failures + other.failures,
  running: one.running + other.running,
  ms: one.ms + other.ms,
});

const PROMPT_POINTS = ["preCall", "preReasoning", "preSummary", "postSummary", "preCompact", "postCompact"];
/** Above this share of the window the gauge warns. */
const NEAR = 0.8;

function promptRows({ prompt }: AgentMap): readonly Row[] {
  const { tokens, window, messages, leftOut, compactions } = prompt;
  const rows: Row[] = [];
  if (tokens !== undefined && window !== undefined && window > 0) {
    const share = tokens / window;
    const tone = share > NEAR ? "amber" : "slate";
    const text = t`${share < 0.01 ? "<1" : Math.round(share * 100)}% of ${compact(window)}`;
    rows.push({ kind: "gauge", key: "window", text, share: Math.min(1, share), tone, rank: 0 });
  }
  if (messages > 0) rows.push({ kind: "text", key: "messages", text: plural(messages, "message"), rank: 3 });
  if (leftOut > 0)
    rows.push({
      kind: "text",
      key: "left",
      text: t`${plural(leftOut, "message")} left out`,
      tone: "amber",
      rank: 1,
    });
  if (compactions > 0)
    rows.push({ kind: "text", key: "compactions", text: t`summed up ${compactions}×`, rank: 2 });
  return rows;
}

function modelRows({ lanes, agent, usage }: AgentMap, total: Lane): readonly Row[] {
  const { inputTokens, outputTokens, cost } = usage;
  const rows: Row[] = [];
  if (lanes.length > 1) {
    for (const lane of lanes)
      rows.push({
        kind: "item",
        key: `lane ${lane.persona ?? ""}`,
        id: `model:${lane.persona ?? ""}`,
        text: safeText(lane.persona ?? agent),
        title: `${lane.isCurrent ? t("has the session, ") : ""}${plural(lane.calls, "call")}, ${duration(lane.ms)}`,
        tone: lane.isCurrent ? "violet" : "slate",
        isRunning: lane.isCurrent,
        isGrey: lane.calls === 0,
        marks: lane.calls === 0 ? [] : [{ text: `${compact(lane.calls)}×`, title: t("calls") }],
        rank: lane.isCurrent ? 0 : lane.calls > 0 ? 1 : 2,
      });
  }
  if (total.calls > 0) {
    const spent = [duration(total.ms), ...(cost === undefined ? [] : [money(cost)])].join(" · ");
    rows.push({ kind: "text", key: "spent", text: spent, title: t("time and cost of all calls"), rank: 1 });
  }
  if (inputTokens !== undefined || outputTokens !== undefined)
    rows.push({
      kind: "text",
      key: "tokens",
      text: t`${compact(inputTokens)} in · ${compact(outputTokens)} out`,
      title: t("tokens of all calls"),
      rank: 2,
    });
  if (total.failures > 0)
    rows.push({ kind: "text", key: "failed", text: t`${total.failures} failed`, tone: "red", rank: 0 });
  return rows;
}

function peopleRows({ people }: AgentMap): readonly Row[] {
  const waiting = [...Map.groupBy(people.waiting, (name) => name)];
  const decided = [...people.decisions].map(([kind, count]) => `${count} ${DECIDED[kind] ?? kind}`);
  return [
    ...waiting.map(([name, all]): Row => ({
      kind: "text",
      key: `waits ${name}`,
      text: `${safeText(name)}${all.length > 1 ? ` ×${all.length}` : ""}`,
      title: t`${safeText(name)} waits for a decision`,
      tone: "amber",
      isMono: true,
      rank: 0,
    })),
    ...(decided.length > 0
      ? [{ kind: "text", key: "decided", text: decided.join(" · "), rank: 1 } as const]
      : []),
    ...(people.names.length > 0
      ? [
          {
            kind: "text",
            key: "names",
            text: t`by ${people.names.map(safeText).join(", ")}`,
            rank: 2,
          } as const,
        ]
      : []),
  ];
}

const DECIDED: { readonly [kind: string]: string } = {
  approve: t("approved"),
  deny: t("denied"),
  edit: t("edited"),
  answer: t("answered"),
  retry: t("run again"),
  respond: t("answered"),
  decline: t("declined"),
  cancel: t("cancelled"),
};

/** The hooks of points, by name: those that changed something first. */
function hookRows({ hooks }: AgentMap, { named }: CardOptions, points: readonly string[]): readonly Row[] {
  return hooks
    .filter(({ point }) => points.includes(point) && !named.has(point))
    .toSorted((a, b) => b.changed - a.changed)
    .map((hook): Row => ({
      kind: "item",
      key: `hook ${hook.point} ${hook.name}`,
      id: hookId(hook),
      text: hookName(hook),
      title: hookTitle(hook),
      tone: hook.changed > 0 ? "amber" : "slate",
      isGrey: hook.changed === 0,
      marks:
        hook.changed > 0 ? [{ text: `${compact(hook.changed)}×`, tone: "amber", title: t("changes") }] : [],
      rank: hook.changed > 0 ? 1 : 4,
    }));
}

/** Returns what a click on a hook filters by. */
export const hookId = ({ point, name }: HookEntry): string => `hook:${point}:${name}`;
/** The name of a hook, or where hooks ran that changed nothing. */
export const hookName = ({ point, name }: HookEntry): string =>
  name === "" ? t`hooks ${hooksText(point)}` : safeText(name);
/** Says what hooks did, in a sentence. */
export const hookTitle = (hook: HookEntry): string => {
  const where = hooksText(hook.point);
  const did =
    hook.changed === 0 ? t("changed nothing") : t`changed something ${plural(hook.changed, "time")}`;
  return t`${hook.name === "" ? t("Hooks") : t`The hook ${safeText(hook.name)}`} ran ${where} ${plural(hook.ran, "time")} and ${did}.`;
};
