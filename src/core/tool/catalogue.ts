import { perObject, wellFormed, type JsonObject } from "../base/json.ts";
import { byteLength } from "../base/platform.ts";
import type { ToolSpec } from "../model/port.ts";
import { countText } from "../model/request.ts";
import { withoutPresets } from "./presets.ts";
import { searchTool } from "./tool-search.ts";
import type { AnyTool } from "./types.ts";

/** Beyond what tools that do not say otherwise are deferred. */
export type Beyond = {
  /** Tokens of their schemas. */
  readonly tokens: number;
  /** Tools that are offered always. */
  readonly tools: number;
};

/** The tools that the model is offered: those that it always has, then those that it has loaded. */
export type Offer = {
  readonly always: readonly ToolSpec[];
  readonly loaded: readonly ToolSpec[];
  /** Both, as one list. */
  readonly all: readonly ToolSpec[];
};

/** The active tools as the model sees them, and the tool that searches those of them that are deferred. */
export type Catalogue = {
  readonly always: readonly ToolSpec[];
  readonly deferred: readonly ToolSpec[];
  readonly search: AnyTool | undefined;
  /** The maximum number of loaded tools that are offered: those that were loaded last. */
  readonly room: number;
};

/** The values that are worked out once for each tool, since agents share their tools. */
type Known = { readonly spec: ToolSpec; readonly json: string; tokens?: number };
const knownOf = perObject((tool: AnyTool): Known => {
  const { name, description } = tool;
  const spec = wellFormed({ name, description, inputSchema: withoutPresets(tool) });
  return { spec, json: JSON.stringify(spec) };
});

const specOf = (tool: AnyTool): ToolSpec => knownOf(tool).spec;

function tokensOf(tool: AnyTool): number {
  const found = knownOf(tool);
  return (found.tokens ??= countText(found.json));
}

/** True if the schemas of the tools have more tokens. A token has at least one byte, so most agents need no tokenizer for that. */
function isBeyond(tools: readonly AnyTool[], maxTokens: number): boolean {
  const bytes = tools.reduce((sum, tool) => sum + byteLength(knownOf(tool).json) + 1, 1);
  return bytes > maxTokens && tools.reduce((sum, tool) => sum + tokensOf(tool), 0) > maxTokens;
}

/** The tools of which {@link catalogueOf} makes a catalogue. */
type Stock = {
  readonly tools: readonly AnyTool[];
  readonly isActive: (tool: AnyTool) => boolean;
  /** Tools of the toolkit itself, which are offered always. */
  readonly own: readonly AnyTool[];
  /** Undefined: no tool is ever deferred. */
  readonly beyond: Beyond | undefined;
};

/** Loaded tools are offered in any case, also if too many others are. */
const LEAST_ROOM = 5;

/** Returns the catalogue of some tools. Whether they are too many is asked of inactive ones too, so that switching groups defers no
 *  tool. */
export function catalogueOf({ tools, isActive, own, beyond }: Stock): Catalogue {
  const undecided = tools.filter(({ deferred }) => deferred === undefined);
  const kept = tools.filter(({ deferred }) => deferred === false);
  const count = undecided.length + kept.length + own.length;
  const areMany = beyond !== undefined && (count > beyond.tools || isBeyond(undecided, beyond.tokens));
  const isDeferred = ({ deferred = areMany }: AnyTool): boolean => beyond !== undefined && deferred;
  const active = tools.filter(isActive);
  const listed = [...active.filter((tool) => !isDeferred(tool)), ...own].map(specOf);
  if (!beyond || !tools.some(isDeferred)) return { always: listed, deferred: [], search: undefined, room: 0 };
  const deferred = active.filter(isDeferred).map(specOf);
  const room = Math.max(LEAST_ROOM, beyond.tools - listed.length - 1);
  const search = searchTool(listed, deferred, room);
  return { always: [...listed, specOf(search)], deferred, search, room };
}

/** Returns what the model is offered that has loaded these tools, in the order of loading. */
export function offerOf({ always, deferred, room }: Catalogue, names: readonly string[]): Offer {
  const found = names.flatMap((name) => deferred.find((spec) => spec.name === name) ?? []);
  const loaded = found.length > room ? found.slice(-room) : found;
  return { always, loaded, all: loaded.length > 0 ? [...always, ...loaded] : always };
}

/** Returns the schema of a tool as the model sees it; undefined if it is not in the catalogue. */
export function schemaIn({ always, deferred }: Catalogue, name: string): JsonObject | undefined {
  return [...always, ...deferred].find((spec) => spec.name === name)?.inputSchema;
}

/** The tools of a toolkit, by name, and what follows from them. */
export type ToolRegistry = {
  readonly tools: Map<string, AnyTool>;
  /** Undefined: no tool is ever deferred. */
  readonly beyond: Beyond | undefined;
  catalogue?: Catalogue | undefined;
  offer?: { readonly names: readonly string[]; readonly offer: Offer } | undefined;
};

/** The agents of a process are mostly made of one configuration. */
let newest: WeakRef<ToolRegistry> | undefined;

function isAlike(one: ToolRegistry, other: ToolRegistry): boolean {
  const [a, b] = [one.beyond, other.beyond];
  if (a?.tokens !== b?.tokens || a?.tools !== b?.tools || one.tools.size !== other.tools.size) return false;
  const others = other.tools.values();
  for (const tool of one.tools.values()) if (tool !== others.next().value) return false;
  return true;
}

/** Returns the registry that was given last if it is alike, else this one. From now on nobody may change it. */
export function internRegistry(registry: ToolRegistry): ToolRegistry {
  const other = newest?.deref();
  if (other && isAlike(other, registry)) return other;
  newest = new WeakRef(registry);
  return registry;
}
