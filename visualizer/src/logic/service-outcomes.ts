import type { HookDeed } from "../../../machines/agent/step-account.ts";
import type { Step } from "../wire/step.ts";
import type { CallRecord } from "../wire/types.ts";
import { safeText } from "./format.ts";
import { detailOf, toolOf, type Work } from "./work.ts";
import { t } from "../words/t.ts";

type Outcome = Pick<Work, "state" | "detail">;

/** Returns the actions of hooks, or the outcome of the check of permissions; `calls` are those before the step. */
export function outcomeOfService(
  { event, account = {} }: Step,
  kind: Work["kind"],
  calls: readonly CallRecord[],
): Outcome {
  if (event.startsWith("xstate.error")) return { state: "failed", detail: detailOf(account.error?.message) };
  if (kind === "hooks") return { state: "done", detail: textOfHooks(account, calls) };
  const { denied = [] } = account;
  if (kind !== "review" || denied.length === 0) return { state: "done", detail: "" };
  const refused = denied.map(({ callId, text }) => `${nameIn(calls, callId)}: ${detailOf(text)}`);
  return { state: "failed", detail: refused.join("; ") };
}

function nameIn(calls: readonly CallRecord[], id: string | undefined): string {
  const record = calls.find(({ call }) => call.id === id);
  return record ? toolOf(record) : t("a call");
}

const PARTS: { readonly [key: string]: string } = {
  system: t("the system prompt"),
  pieces: t("the messages"),
  input: t("the input"),
  options: t("the options"),
  tools: t("the tools"),
  result: t("the result"),
  answer: t("the answer"),
};

function textOfDeed({ hook, callId, deny, parts = [] }: HookDeed, calls: readonly CallRecord[]): string {
  const name = safeText(hook ?? t("a hook"));
  if (deny !== undefined) return t`${name} denied ${nameIn(calls, callId)}: ${detailOf(deny)}`;
  if (callId !== undefined) return t`${name} changed the arguments of ${nameIn(calls, callId)}`;
  return t`${name} changed ${parts.flatMap((part) => (Object.hasOwn(PARTS, part) ? PARTS[part]! : [])).join(t(" and "))}`;
}

/** Returns the changes that hooks made, each with its name. */
function textOfHooks(
  { hooks = [], stop, stoppedBy, goto, gotoBy }: NonNullable<Step["account"]>,
  calls: readonly CallRecord[],
): string {
  return [
    ...hooks.map((deed) => textOfDeed(deed, calls)),
    ...(stop ? [t`${safeText(stoppedBy ?? t("a hook"))} stopped the turn`] : []),
    ...(goto ? [t`${safeText(gotoBy ?? t("a hook"))} asked the model once more`] : []),
  ].join("; ");
}
