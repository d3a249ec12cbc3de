import type { Json, LensRow, Msg, PromptLens, ShownForm } from "../wire/types.ts";
import { compact } from "./format.ts";
import { headOf } from "./step-notes.ts";
import { isObject } from "../../../src/core/base/json.ts";
import { t } from "../words/t.ts";

type Left = Extract<LensRow, { readonly kind: "left" }>;
type Sent = Extract<LensRow, { readonly kind: "message" }>;

const messagesText = (count: number): string => (count === 1 ? t("1 message") : t`${count} messages`);

/** Returns the reason for which messages were left out, as a sentence. */
export function leftText({ from, to, by, hook }: Left, { bound, window }: PromptLens["call"]): string {
  const what = t`${messagesText(to - from)} left out`;
  const limits = [
    ...(bound?.maxMessages === undefined ? [] : [t`at most ${messagesText(bound.maxMessages)}`]),
    ...(bound?.maxTokens === undefined ? [] : [t`at most ${compact(bound.maxTokens)} tokens`]),
  ];
  const bounded = limits.length === 0 ? "" : ` (${limits.join(", ")})`;
  if (by === "merged")
    return t`${messagesText(to - from)} merged into the text of the message above, with the calls of another persona`;
  if (by === "unknown") return t`${what}: what left them out is not recorded`;
  if (by === "hook") return t`${what} by the hook ${hook ?? "?"}`;
  if (by === "contextWindow") return t`${what} by the option contextWindow${bounded}`;
  if (by === "both")
    return t`${what}: a summary stands for the older ones, and contextWindow${bounded} may have cut more`;
  const size = window === undefined ? "" : t` (its window has ${compact(window)} tokens)`;
  return t`${what} by a compaction: the model${size} sees a summary in their place`;
}

const FORMS: { readonly [form in ShownForm]: string } = {
  cleared: t("an old result, shown as one line"),
  withoutMedia: t("shown without its images, sounds and films"),
  inPart: t("a long result, shown in part"),
  refused: t("shown without what the provider refused"),
  asText: t("calls of another persona, shown as text"),
};

/** Returns the origin of a message and the way in which it was changed, in words; "" for one that was sent as it is. */
export function originText({ from, hook, before, form, why }: Sent): string {
  if (from === "hook") return t`${before ? t("changed") : t("added")} by the hook ${hook ?? "?"}`;
  if (from === "summary") return t("a summary of older messages");
  if (from === "agent") return t("added by the agent for this request");
  if (!form) return "";
  return why === undefined ? FORMS[form] : `${FORMS[form]}: ${why}`;
}

/** Returns the reason for which a request was made, as a part of its title; "" for the usual reason. */
export const phaseText = ({ phase }: PromptLens["call"]): string =>
  ({
    reasoning: "",
    summary: t("for a closing answer at a limit"),
    compaction: t("for a summary of the conversation"),
  })[phase] ?? "";

/** The text of a message on one line, or else what it consists of; of a long text that is not loaded its beginning. */
export function lineOf({ content }: Msg): string {
  const parts = content.map((block): string => {
    if (block.type === "text") return headOf(block.text);
    if (block.type === "tool_use") return t`calls ${block.name}`;
    if (block.type !== "tool_result") return block.type;
    const text = block.output.map((part) => ("text" in part ? headOf(part.text) : part.type)).join(" ");
    return `${block.name}: ${text}`;
  });
  return parts.join(" ").replaceAll(/\s+/g, " ").trim();
}

/** The common parts of one request and another one, and the differences. */
export type PromptComparison = {
  /** The number of messages at the beginning that are the same. */
  readonly same: number;
  /** The differences beside the messages, in words. */
  readonly changes: readonly string[];
};

/** Compares a request with the one before it, in the order in which providers cache: tools, then messages. */
export function comparePrompts(before: PromptLens, after: PromptLens): PromptComparison {
  const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
  const [old, now] = [before.request, after.request];
  let same = 0;
  while (same < now.messages.length && isSame(old.messages[same], now.messages[same])) same++;
  const names = (tools: PromptLens["request"]["tools"]) => tools.map(({ name }) => name);
  const [had, has] = [names(old.tools), names(now.tools)];
  const added = has.filter((name) => !had.includes(name));
  const removed = had.filter((name) => !has.includes(name));
  const isOther = !isSame(old.tools, now.tools);
  return {
    same,
    changes: [
      ...(added.length > 0 ? [t`more tools: ${added.join(", ")}`] : []),
      ...(removed.length > 0 ? [t`without the tools ${removed.join(", ")}`] : []),
      ...(isOther && added.length + removed.length === 0 ? [t("the tools have other schemas")] : []),
      ...optionChanges(optionsOf(old), optionsOf(now)),
      ...(before.call.model === after.call.model ? [] : [t`another model: ${after.call.model}`]),
    ],
  };
}

/** The options as the tab shows them: with the shape of the answer. */
const optionsOf = ({ options, output }: PromptLens["request"]): Json =>
  ({ ...options, ...(output && { output }) }) as Json;

function optionChanges(before: Json, after: Json): readonly string[] {
  if (!isObject(before) || !isObject(after)) return [];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = keys.filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]));
  return changed.length === 0 ? [] : [t`other options: ${changed.join(", ")}`];
}
