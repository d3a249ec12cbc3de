import { truncated } from "../base/shown.ts";
import { AgentError, configError, messageOf } from "../base/error.ts";
import { check } from "../base/options.ts";
import { isObject, type JsonObject } from "../base/json.ts";
import { newId } from "../message/msg.ts";
import type { ToolResultBlock, ToolUseBlock } from "../message/types.ts";
import type { CallsOf } from "./calls.ts";
import { catalogueOf, internRegistry, offerOf, schemaIn } from "./catalogue.ts";
import type { Beyond, Catalogue, Offer, ToolRegistry } from "./catalogue.ts";
import { readSlot, slotReader } from "./slot.ts";
import { BREAKPOINTS, type StoredSlots } from "./stored-slots.ts";
import { DECLARED } from "./declared-tools.ts";
import { checkPreset } from "./define.ts";
import { metaTool, unknownGroup, type Groups } from "./meta-tool.ts";
import { runTool } from "./run.ts";
import { badInput, suspendedResult, unavailableTool, unknownTool } from "./results.ts";
import { parseInput } from "./prepare-input.ts";
import { META_TOOL, RESERVED_NAMES, SEARCH_TOOL } from "./reserved-names.ts";
import { groupChangeSchema, groupSchema, isTool, toolkitSchema, toolSchema } from "./tool-schema.ts";
import { loadedTools } from "./tool-search.ts";
import type { Group, Slot, Tool, AnyTool, Toolkit, AnyToolkit, ToolkitOptions, ToolSource } from "./types.ts";

/** A tool that may be called, or the result that says why not. */
export type FoundTool = { readonly tool: AnyTool } | { readonly result: ToolResultBlock };

// Shared by the many toolkits that have no more; what is added makes a map of their own.
const NO_GROUPS: Groups = new Map();
const NO_SOURCES: ReadonlyMap<ToolSource, number> = new Map<ToolSource, number>();
const OWN_SLOTS: ReadonlyMap<string, Slot> = new Map([[loadedTools.name, loadedTools]]);

/** The toolkit of a session. */
export class SessionToolkit implements AnyToolkit {
  #registry: ToolRegistry = { tools: new Map(), beyond: undefined };
  /** Other toolkits may have the same registry, which then does not change. */
  #isShared = false;
  #groups = NO_GROUPS;
  /** The slots that tools and hooks of the agent may write, by name. */
  #slots = OWN_SLOTS;
  /** The sources of tools that may be others later, with the version that is here. */
  #sources = NO_SOURCES;
  readonly #metaTool: boolean;
  /** The number of changes of tools, groups and presets so far. */
  version = 0;
  /** Hears when tools, groups or presets have changed. */
  watcher: { toolsChanged(): void } | undefined;

  constructor(metaTool: boolean) {
    this.#metaTool = metaTool;
  }

  names(): string[] {
    const search = this.#active().search ? [SEARCH_TOOL] : [];
    return [...this.#registry.tools.keys(), ...(this.#metaTool ? [META_TOOL] : []), ...search];
  }

  /** The tools, those of inactive groups too. */
  tools(): readonly AnyTool[] {
    return [...this.#registry.tools.values()];
  }

  add(tool: AnyTool): void {
    if (!isTool(tool)) check(toolSchema(), tool, "toolkit", "The tool");
    if (RESERVED_NAMES.includes(tool.name))
      throw configError(`toolkit: the package has a tool of its own named '${tool.name}'.`);
    if (this.#registry.tools.has(tool.name)) {
      throw new AgentError(
        "tool/duplicate",
        `A tool named '${tool.name}' is already there; remove it first.`,
      );
    }
    const unknown = tool.groups.find((group) => !this.#groups.has(group));
    if (unknown !== undefined) throw unknownGroup(unknown);
    this.addSlots(tool.writes ?? []);
    this.#set(tool);
  }

  /** Makes slots known. Throws `config/invalid` if another slot has the name of one; then none of them is added. */
  addSlots(slots: readonly Slot[]): void {
    if (slots.length === 0) return;
    const known = new Map(this.#slots);
    for (const slot of slots) {
      if (slot.name === DECLARED.name || slot.name === BREAKPOINTS)
        throw configError(`The package has a slot of its own named '${slot.name}'.`);
      const other = known.get(slot.name);
      if (other && other !== slot)
        throw configError(
          `Two slots are named '${slot.name}': define the slot once, and give the same object everywhere.`,
        );
      known.set(slot.name, slot);
    }
    this.#slots = known;
  }

  /** The slot of this name that was made known. */
  slotNamed(name: string): Slot | undefined {
    return this.#slots.get(name);
  }

  /** The slot of this name: one that was made known, or the one of the session's breakpoints. */
  async writableSlot(name: string): Promise<Slot | undefined> {
    if (name === BREAKPOINTS) return (await import("./breakpoints.ts")).breakpoints as Slot;
    return this.slotNamed(name);
  }

  /** The names of the slots that clients may write. */
  get clientSlots(): readonly string[] {
    return [...this.#slots.values()].flatMap((slot) => (slot.writableByClients ? [slot.name] : []));
  }

  /** True for a slot that was made known. */
  hasSlot(slot: Slot): boolean {
    return this.#slots.get(slot.name) === slot;
  }

  /** Removes this very tool, whatever presets it has got; not one that took its name. */
  removeOwn({ name, inputSchema }: AnyTool): void {
    if (this.#registry.tools.get(name)?.inputSchema === inputSchema) this.remove(name);
  }

  /** All of them, and these slots, or none if one cannot be added. */
  addAll(tools: readonly AnyTool[], slots: readonly Slot[] = []): void {
    if (tools.length === 0 && slots.length === 0) return;
    for (const kit of [this.copy(), this]) {
      kit.addSlots(slots);
      for (const tool of tools) kit.add(tool);
    }
  }

  remove(name: string): boolean {
    this.#unshare();
    const isThere = this.#registry.tools.delete(name);
    this.#changed();
    return isThere;
  }

  addGroup(group: Group): void {
    check(groupSchema(), group, "toolkit", "The group");
    const { name, description = "", active = true } = group;
    if (this.#groups.has(name))
      throw new AgentError("tool/duplicate", `Tool group '${truncated(name)}' already exists`);
    this.#groups = new Map([...this.#groups, [name, { description, active }]]);
    this.#changed();
  }

  setGroups(change: {
    readonly activate?: readonly string[];
    readonly deactivate?: readonly string[];
  }): void {
    check(groupChangeSchema(), change, "setGroups");
    const { activate = [], deactivate = [] } = change;
    const unknown = [...activate, ...deactivate].find((name) => !this.#groups.has(name));
    if (unknown !== undefined) throw unknownGroup(unknown);
    for (const [name, group] of this.#groups) {
      if (deactivate.includes(name)) group.active = false;
      if (activate.includes(name)) group.active = true;
    }
    this.#changed();
  }

  activeGroups(): string[] {
    return [...this.#groups].flatMap(([name, { active }]) => (active ? [name] : []));
  }

  setPreset(name: string, values: JsonObject): void {
    const tool = this.#registry.tools.get(name);
    if (!tool) throw new AgentError("tool/unknown", `There is no tool named '${truncated(name)}'.`);
    checkPreset(tool.name, tool.inputSchema, values);
    this.#set({ ...tool, preset: values });
  }

  async invoke(
    name: string,
    input: JsonObject,
    options: { readonly signal?: AbortSignal; readonly context?: never } = {},
  ): Promise<ToolResultBlock> {
    const call: ToolUseBlock = { type: "tool_use", id: newId(), name, input: input ?? {} };
    const found = this.find(call);
    if ("result" in found) return found.result;
    if (!isObject(call.input)) return badInput(call, "the arguments are not an object");
    const context = {
      callId: call.id,
      idempotencyKey: call.id,
      attempt: 1,
      signal: options.signal ?? new AbortController().signal,
      deadlineAt: Number.POSITIVE_INFINITY,
      context: options.context as never,
      sessionId: "",
      slots: slotReader(() => ({})),
      emit: () => {},
    };
    const run = await runTool(found.tool, call, await parseInput(found.tool, call), context, {});
    return "result" in run ? run.result : suspendedResult(call, run.suspension.reason);
  }

  /** The tools of the user that may be called now, in order of registration. */
  active(): readonly AnyTool[] {
    return [...this.#registry.tools.values()].filter((tool) => this.#isActive(tool));
  }

  /** Defers tools beyond so many; undefined: none, also those that ask for it. */
  deferBeyond(beyond: Beyond | undefined): void {
    this.#unshare();
    this.#registry = { tools: this.#registry.tools, beyond };
    this.#changed();
  }

  /** Returns the offer to the model of a session with these slots, which may have loaded tools. They are in order of registration, then of
   *  loading; presets left out, inactive groups left out. The same lists as long as nothing has changed. */
  offer(slots: StoredSlots = {}): Offer {
    const { name, initial } = loadedTools;
    const names = Object.hasOwn(slots, name) ? readSlot(loadedTools, slots) : initial;
    const registry = this.#registry;
    if (registry.offer?.names === names) return registry.offer.offer;
    const offer = offerOf(this.#active(), names);
    registry.offer = { names, offer };
    return offer;
  }

  /** The schema of a tool as the model sees it; undefined if there is no such tool. */
  inputSchemaOf(name: string): JsonObject | undefined {
    return schemaIn(this.#active(), name);
  }

  find(call: ToolUseBlock): FoundTool {
    const tool = this.#own(call.name) ?? this.#registry.tools.get(call.name);
    if (!tool) return { result: unknownTool(call) };
    return this.#isActive(tool) ? { tool } : { result: unavailableTool(call) };
  }

  /** Takes the present tools of each source, in the places of those that they replace. Returns whether anything changed. */
  refresh(): boolean {
    if (this.#sources.size === 0) return false;
    const stale = [...this.#sources].filter(([source, version]) => source.version !== version);
    for (const [source] of stale) this.#refreshFrom(source);
    return stale.length > 0;
  }

  #refreshFrom(source: ToolSource): void {
    this.#sources = new Map([...this.#sources, [source, source.version]]);
    const present = new Map(source.tools().map((tool) => [tool.name, tool]));
    for (const { name, ...old } of this.#registry.tools.values())
      if (old.source === source && !present.has(name)) this.remove(name);
    for (const [name, tool] of present) {
      const {
        source: owner,
        preset = tool.preset,
        groups = tool.groups,
      } = this.#registry.tools.get(name) ?? { source };
      try {
        if (owner !== source) throw new Error("another tool has its name");
        checkPreset(name, tool.inputSchema, preset);
        this.#set({ ...tool, preset, groups });
      } catch (error) {
        if (owner === source) this.remove(name);
        source.refused?.(name, messageOf(error));
      }
    }
  }

  copy(): SessionToolkit {
    const copy = new SessionToolkit(this.#metaTool);
    copy.#groups = new Map(Array.from(this.#groups, ([name, group]) => [name, { ...group }]));
    for (const tool of this.#registry.tools.values()) copy.#set(tool);
    copy.#slots = this.#slots;
    copy.#sources = this.#sources;
    copy.deferBeyond(this.#registry.beyond);
    return copy;
  }

  /** Holds its tools, and what follows from them, together with other toolkits that have the same, as long as it is not changed. */
  share(): void {
    if (this.#groups.size > 0) return;
    this.#registry = internRegistry(this.#registry);
    this.#isShared = true;
  }

  #unshare(): void {
    if (!this.#isShared) return;
    const { tools, beyond } = this.#registry;
    this.#registry = { tools: new Map(tools), beyond };
    this.#isShared = false;
  }

  /** Exactly these groups are on afterwards; names that no longer exist are passed over. */
  restoreGroups(active: readonly string[]): void {
    for (const [name, group] of this.#groups) group.active = active.includes(name);
    this.#changed();
  }

  #set(tool: AnyTool): void {
    const { source } = tool;
    if (source && !this.#sources.has(source))
      this.#sources = new Map([...this.#sources, [source, source.since]]);
    this.#unshare();
    this.#registry.tools.set(tool.name, tool);
    this.#changed();
  }

  #changed(): void {
    this.#unshare();
    this.#registry.catalogue = undefined;
    this.#registry.offer = undefined;
    this.version++;
    this.watcher?.toolsChanged();
  }

  /** A tool that the toolkit makes itself. */
  #own(name: string): AnyTool | undefined {
    if (name === META_TOOL) return this.#meta()[0];
    return name === SEARCH_TOOL ? this.#active().search : undefined;
  }

  #active(): Catalogue {
    const { tools, beyond } = this.#registry;
    return (this.#registry.catalogue ??= catalogueOf({
      tools: [...tools.values()],
      isActive: (tool) => this.#isActive(tool),
      own: this.#meta(),
      beyond,
    }));
  }

  #isActive(tool: AnyTool): boolean {
    return tool.groups.length === 0 || tool.groups.some((group) => this.#groups.get(group)?.active);
  }

  #meta(): AnyTool[] {
    if (!this.#metaTool || this.#groups.size === 0) return [];
    const activate = (names: readonly string[]): readonly string[] => {
      this.restoreGroups(names);
      return this.tools().flatMap(({ name, groups }) =>
        groups.some((group) => names.includes(group)) ? [name] : [],
      );
    };
    return [metaTool(this.#groups, activate)];
  }
}

/**
 * A set of tools and groups. Throws `tool/duplicate`, `tool/unknown-group` and `config/invalid`. With `metaTool` the model may
 * choose the active groups by the tool `reset_equipped_tools`.
 *
 * @example
 * ```ts
 * import { createAgent, createToolkit, defineTool } from "agentchart";
 * import { scriptedModel } from "agentchart/testing";
 * import { z } from "zod";
 *
 * const search = defineTool({
 *   name: "search",
 *   description: "Searches the web.",
 *   input: z.object({ query: z.string() }),
 *   groups: ["web"],
 *   execute: ({ query }) => `Nothing is known of ${query}.`,
 * });
 * const toolkit = createToolkit({
 *   tools: [search],
 *   groups: [{ name: "web", description: "What needs the network.", active: false }],
 *   metaTool: true,
 * });
 * const agent = createAgent({ name: "researcher", model: scriptedModel(["Done."]), toolkit });
 * ```
 */
export function createToolkit<Ctx = unknown, const T extends readonly Tool<Ctx>[] = readonly Tool<Ctx>[]>(
  options?: ToolkitOptions<Ctx> & { readonly tools?: T | undefined },
): Toolkit<Ctx, CallsOf<T>>;
/** The same for a list of tools that the compiler does not know one by one. */
export function createToolkit<Ctx = unknown>(options?: ToolkitOptions<Ctx>): Toolkit<Ctx>;
export function createToolkit(options: ToolkitOptions<never> = {}): AnyToolkit {
  check(toolkitSchema(), options, "createToolkit");
  const toolkit = new SessionToolkit(options.metaTool ?? false);
  for (const group of options.groups ?? []) toolkit.addGroup(group);
  for (const tool of options.tools ?? []) toolkit.add(tool as AnyTool);
  return toolkit as unknown as AnyToolkit;
}

/** The agent's own copy of a toolkit. Throws `config/invalid` for an object that `createToolkit` did not make. */
export function ownToolkit(toolkit: AnyToolkit): SessionToolkit {
  return sessionToolkit(toolkit).copy();
}

/** Takes the present tools of all sources. Returns whether anything changed. Throws `config/invalid` for an object that `createToolkit` did
 *  not make. */
export function refreshTools(toolkit: AnyToolkit): boolean {
  return sessionToolkit(toolkit).refresh();
}

function sessionToolkit(toolkit: AnyToolkit): SessionToolkit {
  if (!(toolkit instanceof SessionToolkit)) {
    throw configError("`toolkit` must come from createToolkit().");
  }
  return toolkit;
}
