import { z } from "zod";
import { defineSlot } from "../../core/tool/slot.ts";
import type { Slot } from "../../core/tool/types.ts";

/** A skill that the model has loaded. */
export type LoadedSkill = {
  readonly name: string;
  /** True in the turn in which it was loaded. */
  readonly isNew: boolean;
};

/**
 * The skills that the model has loaded in a session, in the order of loading.
 *
 * @example
 * ```ts
 * import type { Agent } from "agentchart";
 * import { loadedSlot } from "agentchart/skills";
 *
 * export const loadedBy = async (agent: Agent): Promise<readonly string[]> =>
 *   (await agent.slots.get(loadedSlot)).value.map(({ name }) => name);
 * ```
 */
export const loadedSlot: Slot<readonly LoadedSkill[]> = defineSlot<readonly LoadedSkill[]>({
  name: "skills.loaded",
  initial: [],
  schema: z.array(z.strictObject({ name: z.string(), isNew: z.boolean() })),
});

/**
 * The warnings about what the last turn of a session has left out: one sentence for each skill that is invalid, or has a name that is
 * taken. A change is an event `slot`.
 *
 * @example
 * ```ts
 * import type { Agent } from "agentchart";
 * import { skillWarningsSlot } from "agentchart/skills";
 *
 * export function warnOf(agent: Agent, warn: (text: string) => void): void {
 *   agent.subscribe((event) => {
 *     if (event.type === "slot" && event.name === skillWarningsSlot.name) for (const text of event.value as string[]) warn(text);
 *   });
 * }
 * ```
 */
export const skillWarningsSlot: Slot<readonly string[]> = defineSlot<readonly string[]>({
  name: "skills.warnings",
  initial: [],
  schema: z.array(z.string()),
});

/** The most skills that a session remembers to have loaded. */
const MAX_LOADED = 100;

/** The loaded skills with one that was loaded just now. */
export function loading(loaded: readonly LoadedSkill[], name: string): readonly LoadedSkill[] {
  return [...loaded.filter((each) => each.name !== name), { name, isNew: true }].slice(-MAX_LOADED);
}

/** The loaded skills as the next turn has them. */
export function known(loaded: readonly LoadedSkill[]): readonly LoadedSkill[] {
  return loaded.map(({ name }) => ({ name, isNew: false }));
}

const MAX_WARNINGS = 50;
const MAX_WARNING = 500;

/** Warnings that fit into the slot. */
export function shortened(warnings: readonly string[]): readonly string[] {
  const more = warnings.length - MAX_WARNINGS;
  return [
    ...warnings.slice(0, MAX_WARNINGS).map((text) => text.slice(0, MAX_WARNING).toWellFormed()),
    ...(more > 0 ? [`There are ${more} more.`] : []),
  ];
}
