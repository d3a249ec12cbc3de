import type { AgentConfig, AnyAgentConfig } from "../../agent/options/agent-config.ts";
import { modelsOf, toolkitOf } from "../../agent/options/config.ts";
import { agentChart } from "../../../machines/agent/known-chart.ts";
import { guarded } from "../../core/base/guarded.ts";
import type { Json, JsonObject } from "../../core/base/json.ts";
import { REDACTED, redactSecrets } from "../../core/base/secrets.ts";
import { textOf, toolUsesOf } from "../../core/message/msg.ts";
import type { Msg } from "../../core/message/types.ts";
import { readEntries } from "../../session/read-entry.ts";
import { recordedAfter, type Fork } from "../../session/fork.ts";
import { checkChanges } from "../../session/fork-changes.ts";
import { inputAfter } from "../../session/input-after.ts";
import { openSession, type Moment } from "../../session/open-session.ts";
import type { SessionStore } from "../../store/port.ts";
import { refused, type CommandOutcome } from "../protocol/command-outcome.ts";
import { encodeToString, PREVIEW } from "../protocol/encode.ts";
import type { ForkPlace, ForkPlan, ForkStep } from "../protocol/fork-plan.ts";
import type { RunCommand } from "../protocol/commands.ts";
import type { ForkChanges } from "../../../machines/agent/prompt/edits.ts";
import { actingTools } from "../../agent/recorded-results.ts";
import { restoreHidden } from "./restore-hidden.ts";

type ForkCommand = Extract<RunCommand, { type: "fork" }>;
type PlanCommand = Extract<RunCommand, { type: "forkPlan" }>;

/** Says what a fork of a stored session at a position would be. Changes nothing. */
export async function planFork(
  store: SessionStore,
  { runId, seq: given, at, step }: PlanCommand,
  config?: AgentConfig,
): Promise<CommandOutcome> {
  const before = step && (await placeBefore(store, runId, step));
  const asked = (at && (await positionOf(store, runId, at))) ?? before?.seq ?? given;
  const seq = asked === 0 ? await openedAt(store, runId) : asked;
  const moment = await (await openSession(store, runId)).at(seq);
  if (asked === 0 && moment.messages.length > 0)
    return refused("invalid", "Nothing is stored before this step: there is nothing to begin with.");
  const later = await recordedAfter(store, runId, seq);
  const calls = new Map([...moment.pending, ...later].map((call) => [call.callId, call]));
  const input = await inputAfter(store, runId, moment);
  const plan: ForkPlan = {
    ...(input.length > 0 && { input: shownText(input, config) }),
    ...(before && { remade: before.remade }),
    willRun: [...calls.values()].map(callText),
    ...(config && { agent: agentOf(config) }),
  };
  return { ok: true, seq, data: plan as unknown as JsonObject };
}

/** The text of messages as the agent lets it be seen. */
function shownText(messages: readonly Msg[], config: AgentConfig | undefined): string {
  const redact = config?.sessionOptions?.redact as ((value: Json) => Json) | undefined;
  const text = messages.map(textOf).join("\n\n");
  return redact ? String(guarded(() => redact(text)) ?? REDACTED) : text;
}

/** The end of the first append, before which there is no session. */
async function openedAt(store: SessionStore, runId: string): Promise<number> {
  for await (const { seq, type, data } of readEntries(store, runId))
    if (type === "position" && data.state !== undefined) return seq;
  return 1;
}

/** The first position that has a message, or the one before it; undefined if no position has it. */
async function positionOf(
  store: SessionStore,
  runId: string,
  { messageId, side }: ForkPlace,
): Promise<number | undefined> {
  let before: number | undefined;
  let isFound = false;
  for await (const entry of readEntries(store, runId)) {
    if (entry.type === "messages") isFound ||= entry.data.messages.some(({ id }) => id === messageId);
    if (entry.type !== "position" || entry.data.state === undefined) continue; // an append ends with one
    if (isFound) return side === "before" ? (before ?? entry.seq) : entry.seq;
    before = entry.seq;
  }
  return undefined;
}

/** The position before the append that has a step, and the number of steps before it in that append. Undefined for a step that the journal
 *  does not tell apart. */
async function placeBefore(
  store: SessionStore,
  runId: string,
  { t, x, nth }: ForkStep,
): Promise<{ readonly seq: number; readonly remade: number } | undefined> {
  const { hash, edges } = agentChart();
  const asked = x.map((id) => edges.get(id)).join();
  let seq = 0;
  let left = nth;
  let writtenWith: string | undefined;
  for await (const entry of readEntries(store, runId)) {
    if (entry.type !== "position" || entry.data.state === undefined) continue;
    const { steps = [], chart = writtenWith } = entry.data;
    writtenWith = chart;
    for (const [remade, step] of steps.entries())
      if (chart === hash && step.at === t && step.x.join() === asked && left-- === 0) return { seq, remade };
    seq = entry.seq;
  }
  return undefined;
}

function agentOf(config: AgentConfig): NonNullable<ForkPlan["agent"]> {
  const { sysPrompt = "", model, generateOptions = {}, hooks = [] } = config;
  const toolkit = toolkitOf(config as unknown as AnyAgentConfig);
  return {
    system: sysPrompt,
    tools: toolkit.names(),
    acting: actingTools(config),
    hooks: hooks.map(({ name }) => name),
    model: model.name,
    models: modelsOf(config as unknown as AnyAgentConfig)
      .map(({ name }) => name)
      .filter((name) => name !== model.name),
    hasOthers: model.withName !== undefined,
    options: redactSecrets(generateOptions as JsonObject) as JsonObject,
  };
}

function callText({ name, input }: { readonly name: string; readonly input: JsonObject }): string {
  return `${name} ${encodeToString(input, { limits: PREVIEW })}`;
}

/** Writes the forks of a command, one after another. Rejects `session/bad-change` for a change that does not fit. */
export async function writeForks(
  store: SessionStore,
  { runId, seq, changes, times = 1, start, tools }: ForkCommand,
): Promise<readonly Fork[]> {
  const session = await openSession(store, runId);
  if (changes) checkChanges(changes, "fork");
  const whole = changes?.arguments ? withHiddenParts(changes, await session.at(seq)) : changes;
  const forks: Fork[] = [];
  const repeats = start === true && tools === "recorded";
  while (forks.length < times)
    forks.push(await session.fork(seq, { repeats, ...(whole && { changes: whole }) }));
  return forks;
}

/** Puts what the page did not get, secrets and long strings, into the arguments that it sends back. */
function withHiddenParts(changes: ForkChanges, { messages }: Moment): ForkChanges {
  const inputs = new Map(messages.flatMap(toolUsesOf).map(({ id, input }) => [id, input]));
  const entries = Object.entries(changes.arguments ?? {});
  return {
    ...changes,
    arguments: Object.fromEntries(entries.map(([id, now]) => [id, restoreHidden(now, inputs.get(id) ?? {})])),
  };
}

/** The outcome of a fork command. */
export function forkOutcome(forks: readonly Fork[]): CommandOutcome {
  const names = forks.slice(0, 1).flatMap(({ runsAgain, recordedLater }) => [...runsAgain, ...recordedLater]);
  const willRun = [...new Set(names.map(callText))];
  return { ok: true, data: { sessionIds: forks.map(({ sessionId }) => sessionId), willRun } };
}
