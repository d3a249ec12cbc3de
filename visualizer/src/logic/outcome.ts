import type { IconName } from "../parts/icon.tsx";
import { groupOf, type JsonObject, type Msg, type RunRow } from "../wire/types.ts";
import { isObject } from "../../../src/core/base/json.ts";
import { limitLabel } from "../../../machines/agent/limits.ts";
import { isMessage } from "./message-shape.ts";
import { headOf } from "./step-notes.ts";
import { labelled } from "../words/said.ts";
import { t } from "../words/t.ts";

/** The status or the end of a run, in the words that the whole page uses. */
export type Outcome = {
  readonly label: string;
  readonly tone: "green" | "red" | "amber" | "blue" | "slate" | "cyan";
  readonly icon: IconName;
};

const OVER_BUDGET: Outcome = { label: t("over budget"), tone: "amber", icon: "warn" };
const ENDED = new Map<string, Outcome>(
  Object.entries({
    MODEL_STOP: { label: t("answered"), tone: "green", icon: "check" },
    STRUCTURED_OUTPUT: { label: t("answered"), tone: "green", icon: "check" },
    INTERRUPTED: { label: t("interrupted"), tone: "slate", icon: "stop" },
    MAX_ITERATIONS: { label: t("out of iterations"), tone: "amber", icon: "warn" },
    BUDGET_EXCEEDED: OVER_BUDGET,
    BREAKPOINT: { label: t("at a breakpoint"), tone: "amber", icon: "pause" },
    REASONING_STOP_REQUESTED: { label: t("stopped by a hook"), tone: "slate", icon: "stop" },
    ACTING_STOP_REQUESTED: { label: t("stopped by a hook"), tone: "slate", icon: "stop" },
    SHUTDOWN: { label: t("shut down"), tone: "blue", icon: "pause" },
    ERROR: { label: t("failed"), tone: "red", icon: "cross" },
  }),
);

const ACTORS: { readonly [status in NonNullable<RunRow["actor"]>["status"]]: Outcome } = {
  active: { label: t("active"), tone: "cyan", icon: "play" },
  done: { label: t("done"), tone: "green", icon: "check" },
  error: { label: t("failed"), tone: "red", icon: "cross" },
  stopped: { label: t("stopped"), tone: "slate", icon: "stop" },
};

const WAITS: { readonly [kind: string]: string } = {
  approval: t("needs approval"),
  answer: t("asks a question"),
  externalResult: t("waits for a result"),
  stopRequested: t("stopped by a hook"),
  unknownOutcome: t("outcome unknown"),
  budget: t("over budget"),
  breakpoint: t("at a breakpoint"),
};

/** Returns the status of a run: how its newest turn ended, what it waits for, or that it works. */
export function outcomeOf(
  row: Pick<RunRow, "phase" | "reason" | "waitsFor" | "pending" | "worker" | "actor">,
): Outcome {
  const { phase, reason, waitsFor, worker, actor } = row;
  if (actor && worker?.isUp !== false) return ACTORS[actor.status];
  if (phase === "quarantined") return { label: t("quarantined"), tone: "red", icon: "cross" };
  if (phase === "running" && worker?.isUp === false) return { label: t("lost"), tone: "red", icon: "warn" };
  if (phase === "running") return { label: t("working"), tone: "cyan", icon: "play" };
  if (phase === "unfinished") return { label: t("unfinished"), tone: "blue", icon: "pause" };
  if (phase === "suspended") {
    const label = WAITS[waitsFor[0] ?? ""] ?? t("suspended");
    return { label, tone: "amber", icon: groupOf(row) === "needsYou" ? "hand" : "hourglass" };
  }
  return ENDED.get(reason ?? "") ?? { label: t("no turn yet"), tone: "slate", icon: "clock" };
}

/** The end of the turn at a step, if not with an answer: what happened, the first line of why, and what the other lines advise. */
export type EndOfTurn = Outcome & { readonly text: string; readonly hint?: string };

/** Returns the end of the turn that a context shows; undefined if it goes on, was answered, or waits for calls. */
export function endOfTurn(context: JsonObject | undefined): EndOfTurn | undefined {
  const outcome = context?.["outcome"];
  const progress = context?.["progress"];
  const exceeded = isObject(progress) ? progress["exceeded"] : undefined;
  if (!isObject(outcome))
    return typeof exceeded === "string" && exceeded !== "breakpoint"
      ? overBudget(t`The limit of ${labelled(limitLabel(exceeded))} is used up.`)
      : undefined;
  const reason = String(outcome["reason"]);
  const known = ENDED.get(reason);
  if (!known || known.tone === "green") return undefined;
  const { error } = outcome;
  const hint = isObject(error)
    ? headOf(error["message"] ?? "")
        .split("\n")
        .slice(1)
        .join("\n")
        .trim()
    : "";
  return { ...known, text: textOf(reason, outcome), ...(hint !== "" && { hint }) };
}

const overBudget = (text: string): EndOfTurn => ({ ...OVER_BUDGET, text });

function textOf(reason: string, { error, cause, reply, limit }: JsonObject): string {
  if (isObject(error)) return `${String(error["code"])}: ${firstLine(headOf(error["message"] ?? ""))}`;
  if (reason === "BUDGET_EXCEEDED" && isObject(limit))
    return t`Budget exceeded: ${labelled(limitLabel(String(limit["name"])))} ${String(limit["used"])} of ${String(limit["allowed"])}.`;
  if ((reason === "BUDGET_EXCEEDED" || reason === "BREAKPOINT") && isMessage(reply))
    return textOfMessage(reply);
  if (reason === "MAX_ITERATIONS") {
    const max = isObject(limit) && limit["name"] === "maxIters" ? limit["allowed"] : undefined;
    return t`The turn reached its ${typeof max === "number" ? t`${max} iterations` : t("iteration limit")} without an answer of the model.`;
  }
  if (reason === "INTERRUPTED")
    return typeof cause === "string" ? t`Cause: ${cause}.` : t("The turn was interrupted.");
  return "";
}

const firstLine = (text: string): string => text.split("\n")[0]!;

const textOfMessage = ({ content }: Msg): string =>
  content.map((block) => (block.type === "text" ? headOf(block.text) : "")).join("");
