import type { Step } from "../wire/step.ts";
import type { StepAccount, ToldFailure } from "../../../machines/agent/step-account.ts";
import type { Json, Msg, PatchOp, Usage } from "../wire/types.ts";
import { localTime, safeText } from "./format.ts";
import { cut, isBlob } from "./json-rows.ts";
import { isMessage } from "./message-shape.ts";
import { takeOverLine } from "../../../src/core/message/account.ts";
import { isObject } from "../../../src/core/base/json.ts";
import { characters } from "../words/characters.ts";
import { t } from "../words/t.ts";

/** The event of changes whose steps a stored run does not tell apart. */
export const UNKNOWN_STEPS = "journal";

/** The messages that a step added to the transcript. */
export function messagesOf(step: Step): readonly Msg[] {
  return step.patch.flatMap((op) => {
    if (op[1][0] !== "messages") return [];
    if (op[0] === "+" && op[1].length === 1) return op[2].filter(isMessage);
    if (op[0] !== "=") return [];
    const set = op[1].length === 1 && Array.isArray(op[2]) ? op[2] : op[1].length === 2 ? [op[2]] : [];
    return set.filter(isMessage);
  });
}

/** The value that a step set for a key of the context; undefined if it did not set it. */
export function setBy(step: Step, key: string): Json | undefined {
  const op = step.patch.find(([kind, path]) => kind === "=" && path.length === 1 && path[0] === key);
  return (op as Extract<PatchOp, readonly ["=", ...unknown[]]> | undefined)?.[2];
}

/** The usage that a step added: that of the model's message. */
export function usageOf(step: Step): Usage | undefined {
  return messagesOf(step).find(({ role, usage }) => role === "assistant" && usage)?.usage;
}

/** True if a step recorded a failure, or an attempt failed in it. */
export function isFailure(step: Step): boolean {
  const { event, account } = step;
  if (account?.error && account.error.code !== "run/shutdown") return true;
  if (account?.isLate || event.startsWith("xstate.error")) return true;
  if (event.startsWith("xstate.done.actor.tool.")) return account?.result?.state === "error";
  const ended = account?.end?.error;
  if (ended && ended.code !== "run/shutdown") return true;
  return messagesOf(step).some(({ content }) =>
    content.some((block) => block.type === "tool_result" && block.state === "error"),
  );
}

const COMMAND_NOTES: { readonly [event: string]: string } = {
  "run.interrupt": t("interrupted"),
  "run.steer": t("steered"),
  "run.shutdown": t("paused"),
  "budget.extend": t("budget extended"),
  "session.compact": t("summed up"),
  "session.edit": t("messages edited"),
  "session.resume": t("resumed"),
};
/** The effect of a decision, by its kind. */
export const DECISION_NOTES: { readonly [decision: string]: string } = {
  approve: t("approved"),
  deny: t("denied"),
  decline: t("denied"),
  edit: t("edited"),
  answer: t("answered"),
  respond: t("answered"),
  retry: t("run again"),
};
/** The notes on the effect of a command whose step is not known apart from others. */
const STORED_NOTES: { readonly [event: string]: string } = {
  ...COMMAND_NOTES,
  call: t("called"),
  "tool.decide": t("decided"),
};

const AUTHORS: { readonly [by in NonNullable<Step["by"]>]: string } = {
  caller: t("caller"),
  hook: t("hook"),
  inspector: t("inspector"),
  operator: t("operator"),
  worker: t("worker"),
};

/**
 * Returns the effect of a command of the inspector: "approved in the inspector", or who has decided: "approved by maria"; "" for other
 * steps of the program.
 */
export function commandNote({ by, event, account, edges }: Step): string {
  const { decision } = account ?? {};
  const name = decision?.by;
  if (event === "tool.decide" && name !== undefined && name !== by)
    return t`${decisionNote(account)} by ${safeText(name)}`;
  if (by === undefined) return "";
  if (event === UNKNOWN_STEPS) {
    const commands = edges.map((id) => id.split("|")[1]!).filter((each) => Object.hasOwn(STORED_NOTES, each));
    return t`${STORED_NOTES[commands.at(-1) ?? ""] ?? t("changed")} in the ${AUTHORS[by]}`;
  }
  const call = account?.isSent ? "sent" : "resumed";
  return t`${event === "tool.decide" ? decisionNote(account) : (COMMAND_NOTES[event] ?? call)} in the ${AUTHORS[by]}`;
}

const decisionNote = (account: Step["account"]): string =>
  DECISION_NOTES[account?.decision?.kind ?? ""] ?? t("decided");

/** Describes a step in a few words; "" if nothing stands out. */
export function noteOf(step: Step): string {
  return [commandNote(step), noteOfChange(step)].filter((note) => note !== "").join(" · ");
}

function noteOfChange(step: Step): string {
  const { refused, takeOver, draft, error, end } = step.account ?? {};
  if (takeOver) return safeText(takeOverLine(takeOver, localTime));
  if (refused) return t`refused: ${failureText(refused)}`;
  const message = messagesOf(step).at(-1);
  if (message) return noteOfMessage(message);
  if (draft) return noteOfDraft(draft);
  const failure = end?.error ?? error;
  if (failure) return failureText(failure);
  const view = setBy(step, "view");
  if (isObject(view) && isMessage(view["summary"])) return noteOfMessage(view["summary"]);
  if (end) return end.reason;
  return noteOfCalls(step);
}

const failureText = ({ code = "", message }: ToldFailure): string =>
  `${code} ${cut(safeText(message), 90)}`.trim();

const noteOfDraft = ({ calls, text }: NonNullable<StepAccount["draft"]>): string =>
  calls.length > 0
    ? `→ ${calls.map(safeText).join(", ")}`
    : `${t("assistant")}${text === "" ? "" : `: ${cut(safeText(text), 90)}`}`;

function noteOfCalls(step: Step): string {
  const calls = setBy(step, "calls");
  const records = Array.isArray(calls) ? calls.filter(isObject) : [];
  const running = records.filter(({ status }) => status === "running");
  if (running.length > 0) return t`running ${running.map(({ call }) => nameOf(call)).join(", ")}`;
  const needApproval = records.filter(({ asks }) => asks !== undefined);
  return needApproval.length > 0
    ? t`needs approval: ${needApproval.map(({ call }) => nameOf(call)).join(", ")}`
    : "";
}

const nameOf = (call: Json | undefined): string =>
  isObject(call) ? headOf(call["name"] ?? "") : t("a call");

function noteOfMessage({ role, content }: Msg): string {
  const calls = content.flatMap((block) => (block.type === "tool_use" ? [headOf(block.name)] : []));
  if (calls.length > 0) return `→ ${calls.join(", ")}`;
  const result = content.find((block) => block.type === "tool_result");
  if (result?.type === "tool_result") {
    const length = result.output.reduce((sum, part) => sum + ("text" in part ? lengthOf(part.text) : 0), 0);
    return `${headOf(result.name)} ${result.state === "success" ? t("returned") : t(result.state)} ${characters(length)}`;
  }
  const text = content.find((block) => block.type === "text");
  return text?.type === "text"
    ? `${t(role)}: ${cut(headOf(text.text).replaceAll(/\s+/g, " "), 90)}`
    : t(role);
}

/** The text, or the beginning of a blob. */
export const headOf = (text: Json): string => (isBlob(text) ? text.head : String(text));
const lengthOf = (text: Json): number => (isBlob(text) ? text.length : String(text).length);
