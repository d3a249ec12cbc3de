import { configError, messageOf } from "../core/base/error.ts";
import { truth } from "../core/base/wrong-answer.ts";
import type { ChatModel, ToolSpec } from "../core/model/port.ts";
import type { Msg } from "../core/message/types.ts";
import { defineTool } from "../core/tool/define.ts";
import type { AnyTool } from "../core/tool/types.ts";
import type { HandoffSettings } from "../../machines/agent/settings.ts";
import { permissionsWithin } from "./nested-path.ts";
import type { AnyAgentConfig, Handoff, Permissions, Persona } from "./options/agent-config.ts";

type Config = Pick<
  AnyAgentConfig,
  "name" | "tools" | "personas" | "handoffs" | "turnOptions" | "permissions"
>;

const MAX_HANDOFFS = 5;
const MAX_NAME = 48;

const transferTo = (name: string): string =>
  `transfer_to_${name.replaceAll(/[^\w-]+/gu, "_").slice(0, MAX_NAME)}`;

/** Returns the settings by which the chart hands a session over; null for an agent without personas. */
export function handoffSettings({ personas, handoffs, ...config }: Config): HandoffSettings | null {
  if (!personas || !handoffs) return null;
  const systems = Object.entries(personas).map(([name, { sysPrompt = "" }]) => [
    name,
    sysPrompt.toWellFormed(),
  ]);
  return {
    systems: Object.fromEntries(systems) as HandoffSettings["systems"],
    tools: Object.fromEntries(handoffs.map(({ to }) => [transferTo(to), to])),
    max: config.turnOptions?.maxHandoffs ?? MAX_HANDOFFS,
    reset: config.turnOptions?.handoffReset ?? "never",
    summarised: handoffs.filter(({ view }) => view === "summary").map(({ to }) => to),
  };
}

/** The tool that hands a session over. What follows from its result is decided by the chart. */
function transferTool({ to, description }: Handoff): AnyTool {
  return defineTool({
    name: transferTo(to),
    description,
    input: {
      type: "object",
      properties: { reason: { type: "string", description: "Why the conversation is handed over." } },
      required: ["reason"],
    },
    onRestart: "retry",
    execute: () => `Transferred to ${to}.`,
  }) as unknown as AnyTool;
}

/** The tools of all personas, with those that hand over, as an agent adds them to its own. */
export function personaTools({ tools = [], personas = {}, handoffs = [] }: Config): readonly AnyTool[] {
  const own = new Set<AnyTool>(tools);
  const more = new Set(Object.values(personas).flatMap((persona) => persona.tools ?? []));
  return [...[...more].filter((tool) => !own.has(tool)), ...handoffs.map(transferTool)];
}

/** The personas of an agent. A name that it does not have, and null, stand for the agent itself. */
export class Personas {
  readonly #config: Config;
  /** The names of the tools of each persona. */
  readonly #tools = new Map<string, ReadonlySet<string>>();
  readonly #limited: ReadonlySet<string>;
  readonly #foreign = new Map<string, readonly string[]>();
  readonly #permissions = new Map<string, Permissions>();
  readonly #full: ReadonlySet<string>;
  /** The conditions under which tools that hand over are there, by their names. */
  readonly #when: ReadonlyMap<string, NonNullable<Handoff["when"]>>;

  constructor(config: Config) {
    this.#config = config;
    const { name: own, tools = [], personas = {}, handoffs = [] } = config;
    const all: readonly (readonly [string, Persona<never>])[] = [
      [own, { tools }],
      ...Object.entries(personas),
    ];
    for (const [name, { tools: of = [], permissions }] of all) {
      const transfers = handoffs.filter(({ to, from }) => to !== name && (from?.includes(name) ?? true));
      this.#tools.set(
        name,
        new Set([...of.map((tool) => tool.name), ...transfers.map(({ to }) => transferTo(to))]),
      );
      if (permissions) this.#permissions.set(name, permissionsWithin(permissions, config.permissions));
    }
    this.#limited = new Set([
      ...[...this.#tools.values()].flatMap((names) => [...names]),
      ...handoffs.map(({ to }) => transferTo(to)),
    ]);
    this.#when = new Map(handoffs.flatMap(({ to, when }) => (when ? [[transferTo(to), when] as const] : [])));
    this.#full = new Set(handoffs.filter(({ view }) => view === "full").map(({ to }) => to));
  }

  /** The permissions of all personas, of which each judges the calls of its own. */
  get permissions(): readonly Permissions[] {
    return [this.#config.permissions ?? {}, ...this.#permissions.values()];
  }

  #name(persona: string | null | undefined): string {
    return typeof persona === "string" && this.#tools.has(persona) ? persona : this.#config.name;
  }

  /** The model of a persona; undefined if it is that of the agent. */
  modelOf(persona: string | null): ChatModel | undefined {
    const { personas = {} } = this.#config;
    const name = this.#name(persona);
    return Object.hasOwn(personas, name) ? personas[name]!.model : undefined;
  }

  permissionsOf(persona: string | null | undefined): Permissions | undefined {
    return this.#permissions.get(this.#name(persona)) ?? this.#config.permissions;
  }

  /** True for a tool that no persona has to itself, or that this one has. */
  has(persona: string | null | undefined, tool: string): boolean {
    return !this.#limited.has(tool) || this.#tools.get(this.#name(persona))!.has(tool);
  }

  /** True if a tool is there for a persona after these messages. Throws `config/invalid` if its `when` fails. */
  isOffered(persona: string | null | undefined, tool: string, messages: () => readonly Msg[]): boolean {
    if (!this.has(persona, tool)) return false;
    const when = this.#when.get(tool);
    const said = when ? messages() : [];
    try {
      return when === undefined || truth("it", when(said));
    } catch (cause) {
      throw configError(`The handoff's \`when\` of the tool '${tool}' failed: ${messageOf(cause)}`, {
        cause,
      });
    }
  }

  /** Returns the part of an offer that is for a persona. */
  offerOf(
    persona: string | null,
    specs: readonly ToolSpec[],
    messages: () => readonly Msg[],
  ): readonly ToolSpec[] {
    return specs.filter(({ name }) => this.isOffered(persona, name, messages));
  }

  /** The tools of others, whose calls a persona sees as text; undefined for a persona that sees all as it is. The same list each
   *  time. */
  foreignTo(persona: string | null): readonly string[] | undefined {
    const name = this.#name(persona);
    if (this.#full.has(name)) return undefined;
    let foreign = this.#foreign.get(name);
    if (!foreign) {
      foreign = [...this.#limited].filter((tool) => !this.has(name, tool));
      this.#foreign.set(name, foreign);
    }
    return foreign;
  }
}
