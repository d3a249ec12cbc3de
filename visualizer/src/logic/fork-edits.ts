import { isObject } from "../../../src/core/base/json.ts";
import type { ForkChanges, ForkPlan, Json, JsonObject, Msg } from "../wire/types.ts";
import { jsonText } from "./format.ts";
import { cut, isBlob } from "./json-rows.ts";
import { callRecords, isMessage } from "./message-shape.ts";
import { t } from "../words/t.ts";

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Something that a fork may change. */
export type Editable = {
  /** Its kind, and the id of the message or call: "result call_1". */
  readonly key: string;
  readonly kind: "system" | "model" | "options" | "tools" | "message" | "arguments" | "result";
  readonly id: string;
  readonly label: string;
  /** As it is edited: text, JSON, or a name on each line. */
  readonly value: string;
  /** The hash of the whole text, of which `value` is the beginning. */
  readonly blob?: string;
};

/** Something with its new value. */
export type Edit = Editable & { readonly now: string };

/** Texts that are listed at most. */
const MAX_LISTED = 120;

/** Returns what may be changed of a run at a step: of its agent, if that is known, and of its messages and calls, the newest first. */
export function editablesOf(
  context: JsonObject | undefined,
  agent: ForkPlan["agent"] | undefined,
): readonly Editable[] {
  const messages = Array.isArray(context?.["messages"]) ? context["messages"].filter(isMessage) : [];
  const open = callRecords(context?.["calls"]).filter(({ stored }) => !stored);
  const answered = new Set(messages.flatMap(({ content }) => resultsIn(content).map(({ id }) => id)));
  const unanswered = open
    .filter(({ call }) => !answered.has(call.id))
    .map(({ call }) => named("result", call.id, t`result of ${call.name} (it does not run)`, ""));
  const said = messages.toReversed().flatMap(partsOf);
  return [...agentParts(context, agent), ...unanswered, ...said].slice(0, MAX_LISTED);
}

function named(kind: Editable["kind"], id: string, label: string, value: string, blob?: string): Editable {
  const key = id === "" ? kind : `${kind}:${id}`;
  return { key, kind, id, label, value, ...(blob !== undefined && { blob }) };
}

const resultsIn = (content: Msg["content"]) => content.filter((block) => block.type === "tool_result");

function partsOf(message: Msg): readonly Editable[] {
  const calls = message.content
    .filter((block) => block.type === "tool_use")
    .map(({ id, name, input }) => named("arguments", id, t`arguments of ${name}`, jsonText(input)));
  const results = resultsIn(message.content).map(({ id, name, output }) =>
    textPart("result", id, t`result of ${name}`, output),
  );
  if (results.length > 0) return results;
  const text = textPart("message", message.id, t(message.role), message.content);
  return text.value === "" ? calls : [text, ...calls];
}

/** The text of blocks. Only a text that is alone may be a blob. */
function textPart(
  kind: Editable["kind"],
  id: string,
  name: string,
  blocks: readonly { readonly type: string; readonly text?: Json }[],
): Editable {
  const texts = blocks.flatMap(({ type, text }) => (type === "text" && text !== undefined ? [text] : []));
  const [first] = texts;
  if (texts.length === 1 && isBlob(first))
    return named(kind, id, `${name}: ${shortened(first.head)}`, first.head, first.$blob);
  const value = texts.filter((text) => typeof text === "string").join("\n");
  return named(kind, id, `${name}: ${shortened(value)}`, value);
}

const shortened = (text: string): string => cut(text.replaceAll(/\s+/g, " "), 70);

function agentParts(
  context: JsonObject | undefined,
  agent: ForkPlan["agent"] | undefined,
): readonly Editable[] {
  if (!agent) return [];
  const call = isObject(context?.["modelCall"]) ? context["modelCall"] : {};
  const request = isObject(context?.["request"]) ? context["request"] : {};
  const system = [request["system"], call["system"]].find((text) => text !== undefined && text !== "");
  const { tools } = call;
  const names = Array.isArray(tools)
    ? tools.flatMap((tool) => (isObject(tool) ? [String(tool["name"])] : []))
    : agent.tools;
  const options = isObject(call["options"]) ? call["options"] : agent.options;
  return [
    isBlob(system)
      ? named("system", "", t("system prompt"), system.head, system.$blob)
      : named("system", "", t("system prompt"), typeof system === "string" ? system : agent.system),
    named("model", "", "model", typeof call["model"] === "string" ? call["model"] : agent.model),
    named("options", "", t("options of the model"), jsonText(options)),
    ...(names.length > 0 ? [named("tools", "", "tools", names.join("\n"))] : []),
  ];
}

/** Returns the changes that edits make, or what is wrong with one of them. Those that change nothing are left out. */
export function changesOf(
  edits: readonly Edit[],
): { readonly changes: ForkChanges } | { readonly problem: string } {
  const changes: Mutable<ForkChanges> = {};
  for (const { kind, id, label, value, now } of edits) {
    if (now === value) continue;
    if (kind === "system" || kind === "model") {
      if (kind === "model" && now.trim() === "") return { problem: t("The model needs a name.") };
      changes[kind] = kind === "model" ? now.trim() : now;
    } else if (kind === "tools") changes.tools = now.split("\n").filter((name) => name !== "");
    else if (kind === "message") changes.messages = { ...changes.messages, [id]: now };
    else if (kind === "result") changes.results = { ...changes.results, [id]: now };
    else {
      const object = objectIn(now);
      if (!object) return { problem: t`${label}: expected a JSON object.` };
      if (kind === "arguments") changes.arguments = { ...changes.arguments, [id]: object };
      else changes.options = optionChanges(objectIn(value) ?? {}, object) as ForkChanges["options"] & {};
    }
  }
  return { changes };
}

function objectIn(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Those that differ; null for one that is gone. */
function optionChanges(before: JsonObject, after: JsonObject): JsonObject {
  const gone = Object.keys(before).filter((name) => !(name in after));
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
  );
  return { ...Object.fromEntries(gone.map((name) => [name, null])), ...Object.fromEntries(changed) };
}
