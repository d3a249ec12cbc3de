import { frozenCopy, jsonProblem, isObject, type JsonObject } from "../../core/base/json.ts";
import { AgentError, messageOf } from "../../core/base/error.ts";
import type { ToolUseBlock } from "../../core/message/types.ts";
import type { HooksInput } from "../../../machines/agent/services.ts";
import { unknownField, type AwaitedPoint } from "../../core/hook/hook-schema.ts";
import type { AnyHook, AnyHookEvent, Prompt } from "../../core/hook/types.ts";
import { slotReader, writtenSlots } from "../../core/tool/slot.ts";
import type { StoredSlots } from "../../core/tool/stored-slots.ts";
import type { Host } from "./host.ts";

/** The input of the hooks that see a prompt. */
export type PromptInput = Extract<HooksInput, { readonly point: "preReasoning" | "preSummary" }>;

/** The value that a hook returned, or `{}`. */
export type Returned = { readonly [key: string]: unknown };

/** The data that hooks need besides the input of their point. */
export type HookScope = {
  readonly hooks: readonly AnyHook[];
  readonly event: AnyHookEvent;
  readonly slots: HookSlots;
  /** Returns the prompt before the hooks of preReasoning or preSummary. */
  prompt(input: PromptInput): Prompt;
  /** Returns the duration of a call, ms; undefined if it did not run in this process. */
  durationOf(call: ToolUseBlock): number | undefined;
  /** Called if a hook fails at a point that only observes. */
  onFailure(hook: string, error: unknown): void;
};

/** Returns the error of a hook that returned something wrong. */
export function badReturn(hook: string, point: AwaitedPoint, problem: string): AgentError {
  return new AgentError("hook/bad-return", `Hook '${hook}' returned from ${point}: ${problem}`, {
    data: { hook, point },
  });
}

/** Returns a wrong value as an error message contains it: as JSON, or its type. */
function formatReturned(value: unknown): string {
  const isJson = typeof value !== "function" && jsonProblem(value) === undefined;
  return (isJson ? JSON.stringify(value) : undefined) ?? `a ${typeof value}`;
}

/** The words of V8 when something frozen is changed. */
const IS_FROZEN = /object is not extensible|read only property|Cannot delete property/;
const FROZEN_HINT = ". What a hook is given is frozen: a hook changes something by what it returns.";

/** Calls one hook with the fields of its point, takes what it wrote into slots, and returns what it returned: an object, `{}` for
 *  nothing. Rejects `hook/failed` if it throws. */
export async function callHook(
  { event, slots }: Pick<HookScope, "event" | "slots">,
  hook: AnyHook,
  point: AwaitedPoint,
  fields: object,
): Promise<Returned> {
  let returned: unknown;
  try {
    const given = { ...event, slots: slots.reader, ...fields };
    returned = await (hook[point] as ((event: object) => unknown) | undefined)?.(given);
  } catch (error) {
    if (AgentError.is(error) && error.code === "hook/bad-return") throw error;
    const hint = IS_FROZEN.test(messageOf(error)) ? FROZEN_HINT : "";
    throw new AgentError(
      "hook/failed",
      `Hook '${hook.name}' failed in ${point}: ${messageOf(error)}${hint}`,
      {
        cause: error,
        data: { hook: hook.name, point },
      },
    );
  }
  if (returned === undefined || returned === null) return {};
  if (typeof returned !== "object" || Array.isArray(returned)) {
    throw badReturn(hook.name, point, `expected an object or nothing, got ${formatReturned(returned)}`);
  }
  const { slots: written } = returned as Returned;
  const problem =
    unknownField(point, returned) ?? (written === undefined ? undefined : slots.take(hook, written));
  if (problem !== undefined) throw badReturn(hook.name, point, problem);
  return returned as Returned;
}

const KINDS = {
  "a string": (value: unknown): value is string => typeof value === "string",
  "a boolean": (value: unknown): value is boolean => typeof value === "boolean",
  "an object": (value: unknown): value is JsonObject => isObject(value),
  "an array of strings": (value: unknown): value is readonly string[] =>
    Array.isArray(value) && value.every((each) => typeof each === "string"),
};
type KindOf<Name extends keyof typeof KINDS> = (typeof KINDS)[Name] extends ((v: unknown) => v is infer T)
  ? T
  : never;

/** Returns one field of what a hook returned, frozen; undefined if it is absent. Throws `hook/bad-return` for another kind of value. */
export function fieldOf<Name extends keyof typeof KINDS>(
  hook: string,
  point: AwaitedPoint,
  returned: Returned,
  field: string,
  kind: Name,
): KindOf<Name> | undefined {
  const value = returned[field];
  if (value === undefined) return undefined;
  if (!KINDS[kind](value))
    throw badReturn(hook, point, `\`${field}\` must be ${kind}, not ${formatReturned(value)}`);
  const problem = jsonProblem(value);
  if (problem !== undefined) throw badReturn(hook, point, `\`${field}\` ${problem}`);
  return frozenCopy(value) as KindOf<Name>;
}

/** The slots as the hooks of one point read and write them, one hook after the other. */
export class HookSlots {
  readonly #before: StoredSlots;
  #written: StoredSlots = {};
  /** Reads what the session has, and what hooks of the point have written. */
  readonly reader = slotReader(() => ({ ...this.#before, ...this.#written }));

  constructor(before: StoredSlots) {
    this.#before = before;
  }

  /** Takes what a hook returned as `slots`; returns what is wrong with it, if anything is. */
  take({ writes = [] }: AnyHook, written: unknown): string | undefined {
    const taken = writtenSlots(writes, written, this.#before);
    if ("problem" in taken) return taken.problem;
    this.#written = { ...this.#written, ...taken.slots };
    return undefined;
  }

  /** The values that the hooks have written; undefined if there are no such values. */
  get written(): StoredSlots | undefined {
    return Object.keys(this.#written).length > 0 ? this.#written : undefined;
  }
}

/** Calls a hook that only observes: an error that it throws, or with which its promise rejects, becomes an event. */
export function observe(host: Pick<Host, "emit">, hook: AnyHook, call: () => unknown): void {
  const failed = (error: unknown): void =>
    host.emit({
      type: "hook.failed",
      hook: hook.name,
      error: { code: "hook/failed", message: messageOf(error) },
    });
  try {
    const returned = call();
    if (returned instanceof Promise) returned.catch(failed);
  } catch (error) {
    failed(error);
  }
}
