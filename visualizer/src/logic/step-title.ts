import type { ActorStep } from "../../../src/inspect/protocol/actor-info.ts";
import type { Step } from "../wire/step.ts";
import { eventText } from "./guards.ts";
import { commandNote, messagesOf, noteOf, UNKNOWN_STEPS } from "./step-notes.ts";
import { SUMMARY, type Work } from "./work.ts";
import { t } from "../words/t.ts";

/** The title of a step in the list: what happened in the words of an agent, how it came out, and how long what ended had taken. */
export type StepTitle = {
  readonly title: string;
  readonly note: string;
  readonly isFailed: boolean;
  /** ms; undefined for a step that ended nothing. */
  readonly took: number | undefined;
  /** The subject of the title, which has the icon of the step. */
  readonly kind: Work["kind"] | "person" | "other";
};

const HOOKS: { readonly [point: string]: string } = {
  preCall: t("before the call"),
  preReasoning: t("before the model"),
  postReasoning: t("after the model"),
  preActing: t("before the tools"),
  postActing: t("after a tool"),
  preSummary: t("before the summary"),
  postSummary: t("after the summary"),
  preCompact: t("before the compaction"),
  postCompact: t("after the compaction"),
  postCall: t("after the call"),
  onError: t("on the error"),
  onInterrupt: t("on the interrupt"),
};

/** Returns the point at which hooks ran, in words: "before the model". */
export const hooksText = (point: string): string =>
  Object.hasOwn(HOOKS, point) ? HOOKS[point]! : t`at ${point}`;

const COMMANDS: { readonly [event: string]: string } = {
  "xstate.init": t("the run began"),
  "xstate.stop": t("the agent left its process"), // in files of earlier releases
  call: t("a call came in"),
  "run.interrupt": t("interrupted"),
  "run.steer": t("a message for the running turn"),
  "run.shutdown": t("the process shuts down"),
  "tool.decide": t("a call was decided"),
  "budget.extend": t("the budget was extended"),
  "session.compact": t("a compaction was asked for"),
  "session.edit": t("the messages were edited"),
  "session.observe": t("messages were observed"),
  "session.load": t("the session was restored"),
  "session.adopt": t("another agent took over"),
  "slot.write": t("a slot was written"),
  "hooks.listen": t("hooks were registered"),
  "tools.allow": t("the tools changed"),
  "timer.due": t("the timer went off"),
  "input.refused": t("an input was refused"),
  [UNKNOWN_STEPS]: t("changes whose steps are not known"),
};

/** Tells whether a step is of the engine alone: it checked permissions and nobody is asked, or stored what had happened. */
export function isInternal({ event }: Step, ended: readonly Work[], begun: readonly Work[]): boolean {
  const shown = ended.filter(({ kind }) => kind !== "turn" && kind !== "rest");
  return (
    event !== UNKNOWN_STEPS &&
    shown.length > 0 &&
    shown.every(({ kind, state }) => (kind === "review" || kind === "store") && state === "done") &&
    !begun.some(({ kind }) => kind === "wait")
  );
}

/** Describes a step by what it ended, else by the event that caused it. */
export function titleOf(step: Step, ended: readonly Work[], begun: readonly Work[]): StepTitle {
  if (step.actor) return actorTitle(step, step.actor);
  const isKnown = step.event !== UNKNOWN_STEPS;
  const shown = (isKnown ? ended : []).filter(
    ({ kind }) => kind !== "turn" && kind !== "rest" && kind !== "wait",
  );
  const main = shown.find(({ state }) => state === "failed") ?? shown[0];
  const asked = main?.kind === "review" ? begun.find(({ kind }) => kind === "wait") : undefined;
  const note = noteOf(step);
  if (main)
    return {
      title: `${asked ? t("a person is asked") : textOf(main, step)}${shown.length > 1 ? t` and ${shown.length - 1} more` : ""}`,
      note: [
        commandNote(step),
        asked?.name ?? (main.detail !== "" ? main.detail : isSuspended(step) ? "" : note),
      ]
        .filter((text) => text !== "")
        .join(" · "),
      isFailed: main.state === "failed",
      took: Math.max(...shown.map(({ begin, end = begin }) => end - begin)),
      kind: main.kind,
    };
  const waited = ended.find(({ kind }) => kind === "wait");
  const retried = begun.find(({ kind, attempt }) => kind === "tool" && attempt > 1);
  return {
    title: retried ? t`${retried.name}: attempt ${retried.attempt}` : textOfEvent(step),
    note,
    isFailed: false,
    took: waited && waited.end !== undefined ? waited.end - waited.begin : undefined,
    kind: retried ? "tool" : isPerson(step) ? "person" : "other",
  };
}

/** Describes a step of the engine alone, which the list has only while it is displayed, by the calls that run since. */
export function titleInList(step: Step, ended: readonly Work[], begun: readonly Work[]): StepTitle {
  const title = titleOf(step, ended, begun);
  const calls = begun.filter(({ kind }) => kind === "tool");
  if (calls.length === 0 || !isInternal(step, ended, begun)) return title;
  const began = calls.length === 1 ? t`${calls[0]!.name} began` : t`${calls.length} calls began`;
  return { ...title, title: began, note: "", took: undefined, kind: "tool" };
}

/** A step of an actor is its event, and what the recording lacks of it. */
function actorTitle({ event, edges }: Step, { z: error, o: omitted, h: isHidden }: ActorStep): StepTitle {
  const note = [
    error && t`failed with ${error.name}: ${error.message}`,
    edges.length === 0 && !error && event !== "xstate.init" && t("took no transition"),
    omitted !== undefined && t`${omitted} events before it were not recorded`,
    isHidden && t("its context was not recorded: reading it took too long"),
  ];
  return {
    title: event === "xstate.init" ? t("the actor began") : eventText(event),
    note: note.filter((text) => typeof text === "string").join(" · "),
    isFailed: error !== undefined,
    took: undefined,
    kind: "other",
  };
}

/** Tells whether the turn waits for the outside since the step. */
const isSuspended = ({ account }: Step): boolean => account?.end?.reason === "TOOL_SUSPENDED";

const isPerson = ({ event }: Step): boolean =>
  event === "call" || event === "tool.decide" || event.startsWith("run.");

function textOf({ kind, name, state, attempt }: Work, step: Step): string {
  const again = attempt > 1 ? t` (attempt ${attempt})` : "";
  if (kind === "tool" && state === "done" && isSuspended(step)) return t`${name} waits for an answer`;
  if (kind === "tool")
    return `${name} ${state === "failed" ? t("failed") : state === "stopped" ? t("was stopped") : t("returned")}${again}`;
  if (kind === "hooks") return t`hooks ran ${hooksText(name)}`;
  if (kind === "review") return state === "failed" ? t("a call was refused") : t("permissions checked");
  if (kind === "store") return t("stored");
  if (name === SUMMARY && state === "done") return t("the conversation was summed up");
  if (state === "failed") return t`the ${name} failed`;
  if (state === "stopped") return t`the ${name} was stopped`;
  return t`the ${name} ${modelText(step)}`;
}

/** Returns the outcome of an answer of the model. */
function modelText(step: Step): string {
  const message = messagesOf(step).findLast(({ role }) => role === "assistant");
  const stored = (message?.content ?? []).filter(({ type }) => type === "tool_use").length;
  const calls = message ? stored : (step.account?.draft?.calls.length ?? 0);
  if (calls === 0) return t("answered");
  return calls === 1 ? t("called a tool") : t`called ${calls} tools`;
}

function textOfEvent({ event, edges }: Step): string {
  const pattern = edges[0]?.split("|")[1];
  const type = pattern?.includes("*") ? pattern : event;
  return Object.hasOwn(COMMANDS, type) ? COMMANDS[type]! : eventText(type);
}
