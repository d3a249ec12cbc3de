import { isObject } from "../../../src/core/base/json.ts";
import type { ChartIndex } from "../logic/chart-index.ts";
import { conversationItems, type ConversationItems, type MessageItem } from "../logic/conversation-items.ts";
import type { PlaceFilter } from "../store/model.ts";
import type { RunData } from "../store/run-data.ts";
import { EDGES, edgeSteps, personaOf, type EdgeId } from "./agent-map.ts";
import type { JsonObject } from "../wire/types.ts";
import { mapLog } from "./map-log.ts";

const isEdge = (id: string): id is EdgeId => (EDGES as readonly string[]).includes(id);
const sorted = (steps: readonly number[]): readonly number[] => [...new Set(steps)].toSorted((a, b) => a - b);

/** The part of an id behind its kind: the name of a tool, a persona or a hook. */
const behind = (id: string, kind: string): string | undefined =>
  id.startsWith(`${kind}:`) ? id.slice(kind.length + 1) : undefined;

/** Returns the steps in which something happened in a place of the map, in order. */
export function placeSteps(
  run: RunData,
  index: ChartIndex | undefined,
  { id, tools = [] }: PlaceFilter,
): readonly number[] {
  const log = mapLog(run, index);
  const names = new Set(tools);
  const steps = (all: readonly { readonly step: number }[]): readonly number[] => all.map(({ step }) => step);
  const edge = behind(id, "edge");
  if (edge !== undefined && isEdge(edge)) {
    const others = new Set(log.works.flatMap(({ name }) => (names.has(name) ? [] : [name])));
    const agents = edge === "model>agents" || edge === "agents>prompt" ? names : others;
    return sorted(edgeSteps(log, log.works, edge, agents));
  }
  const hook = behind(id, "hook");
  if (hook !== undefined) {
    const named = log.deeds.filter((deed) => `${deed.point}:${deed.hook}` === hook);
    if (named.length > 0) return sorted(steps(named));
    return sorted(
      log.works.flatMap(({ kind, name, to }) =>
        kind === "hooks" && `${name}:` === hook && to !== undefined ? [to] : [],
      ),
    );
  }
  const persona = behind(id, "model");
  if (id === "model" || persona !== undefined)
    return sorted(
      log.works.flatMap(({ kind, from, to }) =>
        kind === "model" && (persona === undefined || (log.personaAt(from) ?? "") === persona)
          ? [to ?? from]
          : [],
      ),
    );
  const tool = behind(id, "tool");
  if (tool !== undefined) names.add(tool);
  if (tool !== undefined || id === "tools" || id === "agents")
    return sorted([
      ...log.works.flatMap(({ kind, name, from, to }) =>
        kind === "tool" && names.has(name) ? [from, ...(to === undefined ? [] : [to])] : [],
      ),
      ...steps(log.decisions.filter((each) => names.has(each.tool))),
      ...steps(log.asks.filter((each) => names.has(each.tool))),
    ]);
  switch (id) {
    case "input":
      return sorted(steps(log.inputs));
    case "prompt":
      return sorted(steps(log.requests));
    case "people":
      return sorted([...steps(log.asks), ...steps(log.decisions)]);
    case "plan":
      return sorted(steps(log.plans));
    default:
      return sorted(steps(log.ends));
  }
}

const all = new WeakMap<JsonObject, ConversationItems["items"]>();

/** The messages of a conversation that belong to a place: the last `least` of them, and more from the place `from` among them on. */
export function itemsOfPlace(
  context: JsonObject,
  filter: PlaceFilter,
  least: number,
  from = Infinity,
): ConversationItems {
  const items = all.get(context) ?? conversationItems(context, []).items;
  all.set(context, items);
  const shown = items.filter((item) => item.kind === "message" && isOfPlace(filter, item));
  const begin = Math.max(0, Math.min(from, shown.length - least));
  return { items: shown.slice(begin), from: begin, count: shown.length };
}

/** True if a message of the conversation belongs to a place. Places that no message tells of, such as hooks, show all. */
export function isOfPlace({ id, tools = [] }: PlaceFilter, { message, results, open }: MessageItem): boolean {
  const called = message.content.flatMap((block) => (block.type === "tool_use" ? [block] : []));
  const persona = behind(id, "model");
  const tool = behind(id, "tool");
  if (persona !== undefined) return message.role === "assistant" && (personaOf(message) ?? "") === persona;
  if (tool !== undefined) return called.some(({ name }) => name === tool);
  switch (id) {
    case "input":
    case "edge:input>prompt":
      return message.role === "user";
    case "model":
    case "edge:prompt>model":
      return message.role === "assistant";
    case "tools":
    case "agents":
      return called.some(({ name }) => tools.includes(name));
    case "edge:model>tools":
    case "edge:tools>prompt":
    case "edge:model>agents":
    case "edge:agents>prompt":
      return called.some(({ name }) => tools.includes(name));
    case "people":
    case "edge:tools>people":
    case "edge:people>tools":
      return called.some(({ id: callId }) => {
        const account = results.get(callId)?.account;
        const record = open.get(callId);
        return (
          (isObject(account) && (account.asked ?? account.decided) !== undefined) ||
          record?.asks !== undefined ||
          record?.status === "suspended"
        );
      });
    case "answer":
    case "edge:model>answer":
      return message.role === "assistant" && called.length === 0;
    default:
      return true;
  }
}
