import { isSame } from "../../core/base/json.ts";
import { differences } from "../recordings/canonical.ts";
import type { ModelCall } from "../../../machines/agent/model-call.ts";
import { shown } from "./divergence.ts";
import type { RecordedSession } from "./recorded-session.ts";

/** A difference between the agent of a recording and that of its replay, as they asked their models. What a function does cannot be seen. */
export type AgentDifference = {
  readonly what: "prompt" | "tool" | "schema" | "option" | "model" | "permissions";
  /** The name of the tool or of the option. */
  readonly name?: string | undefined;
  /** The values from just before the first character that differs; "nothing" for what is not there. */
  readonly recorded: string;
  readonly replayed: string;
};

type Parts = Pick<ModelCall, "system" | "options" | "tools" | "model">;

function difference(
  what: AgentDifference["what"],
  recorded: unknown,
  replayed: unknown,
  name?: string,
): AgentDifference {
  const [first] = differences(recorded, replayed);
  return {
    what,
    ...(name !== undefined && { name }),
    recorded: first?.recorded ?? shown(recorded),
    replayed: first?.asked ?? shown(replayed),
  };
}

/** Yields what differs between two requests beside their messages. */
function* between(recorded: Parts, replayed: Parts): Generator<AgentDifference> {
  if (recorded.system !== replayed.system) yield difference("prompt", recorded.system, replayed.system);
  if (recorded.model !== replayed.model) yield difference("model", recorded.model, replayed.model);
  const options = new Set([...Object.keys(recorded.options), ...Object.keys(replayed.options)]);
  for (const name of options) {
    const [was, is] = [recorded.options[name as never], replayed.options[name as never]];
    if (!isSame(was, is)) yield difference("option", was, is, name);
  }
  const tools = new Map(recorded.tools.map((tool) => [tool.name, tool]));
  for (const tool of replayed.tools) {
    const was = tools.get(tool.name);
    tools.delete(tool.name);
    if (!was) yield difference("tool", undefined, tool.description, tool.name);
    else {
      if (was.description !== tool.description)
        yield difference("tool", was.description, tool.description, tool.name);
      if (!isSame(was.inputSchema, tool.inputSchema))
        yield difference("schema", was.inputSchema, tool.inputSchema, tool.name);
    }
  }
  for (const { name, description } of tools.values()) yield difference("tool", description, undefined, name);
}

/** Returns what differs between the agents of two sessions. Requests at the same message are compared; each difference is told once. */
export function agentDifferences(
  recorded: Pick<RecordedSession, "requests" | "fingerprint">,
  replayed: Pick<RecordedSession, "requests" | "fingerprint">,
  from: number,
): readonly AgentDifference[] {
  const found = new Map<string, AgentDifference>();
  const add = (each: AgentDifference): void => void found.set(`${each.what} ${each.name ?? ""}`, each);
  const before = recorded.requests.slice(from);
  let at = 0;
  for (const call of replayed.requests) {
    while (before[at] && before[at]!.length < call.length) at++;
    const was = before[at];
    if (was?.length !== call.length) continue;
    at++;
    for (const each of between(was, call)) if (!found.has(`${each.what} ${each.name ?? ""}`)) add(each);
  }
  const [was, is] = [recorded.fingerprint, replayed.fingerprint];
  if (was && is && was.permissions !== is.permissions)
    add({ what: "permissions", recorded: was.permissions, replayed: is.permissions });
  if (was && is && was.prompt !== is.prompt && !found.has("prompt "))
    add({ what: "prompt", recorded: was.prompt, replayed: is.prompt });
  if (was && is)
    for (const [name, hash] of Object.entries(is.tools)) {
      const known = [...found.values()].some((each) => each.name === name);
      const old = was.tools[name];
      // Such as its permission, which no model sees.
      if (!known && old !== undefined && old !== hash)
        add({ what: "tool", name, recorded: old, replayed: hash });
    }
  return [...found.values()];
}
