import * as s from "../base/option-schema.ts";
import { AgentError, configError, messageOf } from "../base/error.ts";
import { frozenCopy, isObject, type Json } from "../base/json.ts";
import { check } from "../base/options.ts";
import { byteLength } from "../base/platform.ts";
import type { Schema, Slot, StandardSchema, SlotReader } from "./types.ts";
import { isStandardSchema } from "./schema.ts";
import { validateInput } from "./validate-input.ts";
import { revisionOf, storedSlot, type StoredSlot, type StoredSlots } from "./stored-slots.ts";

/** The definition that {@link defineSlot} takes. */
export type SlotDefinition<T> = {
  /** Names the slot in the session: a letter, then up to 63 letters, digits, `.`, `_` or `-`. */
  readonly name: string;
  /** The value of a session that has none yet: JSON. */
  readonly initial: T;
  /** The version of the value's shape, from 1. Raise it when the shape changes, and give `migrate`. Default 1. */
  readonly version?: number | undefined;
  /** Returns the value of this version for one that was stored with an earlier `version`. It runs whenever such a value is read,
   *  so it must be a pure function. */
  readonly migrate?: ((value: Json, version: number) => T) | undefined;
  /** Checks each value that is written; synchronous. Default: any JSON. */
  readonly schema?: Schema | undefined;
  /** True if clients may write it: the dispatcher, and with it HTTP and `useAgent`, and the inspector. Else it is written by the tools
   *  and hooks that have it in their `writes`, and by `agent.slots.set` of the process that runs the agent. Default false. */
  readonly writableByClients?: boolean | undefined;
};

const isSlot = (value: unknown): boolean =>
  isObject(value) && typeof value["name"] === "string" && typeof value["version"] === "number";

/** The schema of a slot, as `defineSlot` returns it. */
export const slotSchema = s.lazily(() => s.value<Slot>(isSlot, "a slot that defineSlot() returned"));

const definitionSchema = s.lazily(() =>
  s.options<SlotDefinition<unknown>>(
    {
      name: s.matching(/^[a-z][\w.-]{0,63}$/iu, 'a letter, then up to 63 letters, digits, ".", "_" or "-"'),
      initial: s.anything(),
      version: s.optional(s.integer(1)),
      migrate: s.optional(s.func()),
      schema: s.optional(s.object<Schema>("a schema, such as z.object({ … })")),
      writableByClients: s.optional(s.boolean()),
    },
    { what: "an object with `name` and `initial`" },
  ),
);

/**
 * A value that belongs to a session, such as a plan, and that tools and hooks read and write. A write is stored in the same append
 * as the result of the tool, or the change of the hook, that made it. Throws `config/invalid` for a bad name and for an `initial`
 * that the slot itself would not take.
 *
 * @example
 * ```ts
 * import { createAgent, defineSlot, defineTool, type ChatModel } from "agentchart";
 * import { z } from "zod";
 *
 * const notes = defineSlot<readonly string[]>({ name: "notes", initial: [] });
 *
 * const addNote = defineTool({
 *   name: "add_note",
 *   description: "Adds a note to the notes of this session.",
 *   input: z.object({ note: z.string() }),
 *   writes: [notes],
 *   execute: ({ note }, { slots }) => ({
 *     output: [{ type: "text", text: "ok" }],
 *     slots: { notes: [...slots.get(notes), note] },
 *   }),
 * });
 *
 * export const agentOf = (model: ChatModel) => createAgent({ name: "clerk", model, tools: [addNote] });
 * ```
 */
export function defineSlot<T>(definition: SlotDefinition<T>): Slot<T> {
  const named: unknown = (definition as Partial<typeof definition> | null | undefined)?.name;
  const from = typeof named === "string" ? `Slot '${named}'` : "defineSlot";
  check(definitionSchema(), definition, from);
  const { name, initial, version = 1, migrate, schema, writableByClients = false } = definition;
  const slot: Slot<T> = {
    name,
    initial,
    version,
    ...(migrate && { migrate }),
    ...(schema && { schema }),
    ...(writableByClients && { writableByClients }),
  };
  const taken = slotValue(slot, initial);
  if ("problem" in taken) throw configError(`${from}: \`initial\` ${taken.problem}.`);
  return Object.freeze({ ...slot, initial: taken.value as T });
}

/** The maximum length of the JSON of a slot's value, in bytes of UTF-8. */
export const MAX_SLOT_BYTES = 64 * 1024;

type Outcome = { readonly value?: unknown; readonly issues?: readonly { readonly message: string }[] };

function parsed(schema: StandardSchema, value: Json): Outcome {
  const outcome = schema["~standard"].validate(value);
  if (outcome instanceof Promise) {
    outcome.catch(() => {}); // nobody waits for it
    return { issues: [{ message: "its schema is asynchronous" }] };
  }
  return outcome as Outcome;
}

/** The JSON of a value, as it will be read again; undefined if it has none. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined; // holds itself, or a bigint
  }
}

/** Returns a value as the slot stores it, deeply frozen, or why it does not take it, as a predicate that follows the value's name. */
export function slotValue(
  { schema }: Slot,
  value: unknown,
): { readonly value: Json } | { readonly problem: string } {
  let given = value;
  if (schema && isStandardSchema(schema)) {
    try {
      const { issues, value: output } = parsed(schema, value as Json);
      if (issues)
        return { problem: `is refused by its schema: ${issues.map(({ message }) => message).join("; ")}` };
      given = output;
    } catch (error) {
      return { problem: `is refused by its schema: ${messageOf(error)}` };
    }
  }
  const text = jsonOf(given);
  if (text === undefined) return { problem: "is not JSON" };
  const bytes = byteLength(text);
  if (bytes > MAX_SLOT_BYTES)
    return { problem: `has ${bytes} bytes of JSON; a slot takes ${MAX_SLOT_BYTES}` };
  const json = frozenCopy(JSON.parse(text) as Json);
  const problems = schema && !isStandardSchema(schema) ? validateInput(schema, json) : null;
  return problems === null ? { value: json } : { problem: `is refused by its schema: ${problems}` };
}

/** Returns the value of a slot. Throws as {@link SlotReader.get}. */
export function readSlot<T>(slot: Slot<T>, stored: StoredSlots): T {
  check(slotSchema(), slot, "slots.get", "The slot");
  const { name, version, migrate } = slot;
  const found = storedSlot(stored, name);
  if (!found) return slot.initial;
  if (found.version === version) return found.value as T;
  if (found.version > version || !migrate)
    throw new AgentError(
      "slot/version",
      `Slot '${name}' was stored with version ${found.version}, and this process has version ${version}${found.version < version ? " without `migrate`" : ""}.`,
    );
  const taken = slotValue(slot, migrate(found.value, found.version));
  if ("problem" in taken)
    throw new AgentError("slot/version", `What \`migrate\` of slot '${name}' returned ${taken.problem}.`);
  return taken.value as T;
}

/** Throws `slot/read-only` for a slot that clients may not write. */
export function checkWritableByClients({ name, writableByClients = false }: Slot): void {
  if (writableByClients) return;
  throw new AgentError(
    "slot/read-only",
    `Clients may not write slot '${name}'; expected one that is defined with \`writableByClients: true\`.`,
    { data: { slot: name } },
  );
}

/** Reads slots from what `stored` returns at that time. */
export function slotReader(stored: () => StoredSlots): SlotReader {
  return Object.freeze({ get: <T>(slot: Slot<T>): T => readSlot(slot, stored()) });
}

/** Returns what a tool or a hook with these `writes` has written, as the session stores it, or what is wrong with it. */
export function writtenSlots(
  writes: readonly Slot[],
  written: unknown,
  stored: StoredSlots,
): { readonly slots: StoredSlots } | { readonly problem: string } {
  if (!isObject(written))
    return { problem: "`slots` must be an object with new values by the names of slots" };
  const slots: { [name: string]: StoredSlot } = {};
  for (const [name, value] of Object.entries(written)) {
    const slot = writes.find((each) => each.name === name);
    if (!slot) return { problem: `the slot '${name}' is not in its \`writes\`` };
    const taken = slotValue(slot, value);
    if ("problem" in taken) return { problem: `the value of slot '${name}' ${taken.problem}` };
    slots[name] = { value: taken.value, version: slot.version, revision: revisionOf(stored, name) + 1 };
  }
  return { slots };
}
