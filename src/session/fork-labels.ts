import type { JsonObject } from "../core/base/json.ts";
import { redactSecrets } from "../core/base/secrets.ts";
import { textOf } from "../core/message/msg.ts";
import type { Msg, ToolResultBlock } from "../core/message/types.ts";
import type { AgentContext } from "../../machines/agent/context.ts";
import type { ForkChanges, ForkLabel } from "../../machines/agent/prompt/edits.ts";

const MAX_LABELS = 5;
const MAX_TEXT = 60;

/** Returns the labels of changes, the first five, which tell one fork of a session from another. */
export function forkLabels(
  { transcript, request, calls }: AgentContext,
  changes: ForkChanges,
): readonly ForkLabel[] {
  const all = transcript.slice();
  const blocks = all.flatMap(({ content }) => content);
  const label = (what: ForkLabel["what"], of: string, now: string | undefined, before = ""): ForkLabel => ({
    what,
    of,
    ...(now !== undefined && { now: excerpt(now, before) }),
  });
  const { system, model, options, tools, messages = {}, results = {}, arguments: inputs = {} } = changes;
  const callOf = (id: string) =>
    calls.find(({ call }) => call.id === id)?.call ??
    blocks.find((block) => block.type === "tool_use" && block.id === id);
  const nameOf = (id: string): string => {
    const call = callOf(id);
    return call?.type === "tool_use" ? call.name : id;
  };
  const json = (value: unknown): string => JSON.stringify(redactSecrets(value as JsonObject));
  const outputOf = (id: string) =>
    blocks.find((block) => block.type === "tool_result" && block.id === id) as ToolResultBlock | undefined;
  return [
    ...(system === undefined ? [] : [label("system", "", system, request.system)]),
    ...(model === undefined ? [] : [label("model", "", model)]),
    ...(options ? [label("options", "", json(options))] : []),
    ...(tools ? [label("tools", "", tools.join(", "))] : []),
    ...Object.entries(messages).map(([id, now]) => {
      const message = all.find((each) => each.id === id);
      return label(
        "message",
        message?.role ?? "",
        now === null ? undefined : textIn(now),
        message && textOf(message),
      );
    }),
    ...Object.entries(inputs).map(([id, now]) => {
      const call = callOf(id);
      return label("arguments", nameOf(id), json(now), call?.type === "tool_use" ? json(call.input) : "");
    }),
    ...Object.entries(results).map(([id, now]) =>
      label("result", nameOf(id), textIn(now), textIn(outputOf(id)?.output ?? "")),
    ),
  ].slice(0, MAX_LABELS);
}

const textIn = (value: string | Msg["content"]): string =>
  typeof value === "string"
    ? value
    : value.flatMap((block) => (block.type === "text" ? [block.text] : [])).join(" ");

/** The text from the word on in which it differs from the one before, in one line. */
function excerpt(text: string, before: string): string {
  let same = 0;
  while (same < text.length && text[same] === before[same]) same++;
  const from = same < text.length ? text.lastIndexOf(" ", same) + 1 : 0;
  const line = `${from > 0 ? "… " : ""}${text.slice(from, from + 4 * MAX_TEXT)}`
    .replaceAll(/\s+/g, " ")
    .trim();
  return (line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT - 1)}…` : line).toWellFormed();
}
