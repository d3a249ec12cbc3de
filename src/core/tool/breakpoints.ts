import { z } from "zod";
import type { Json } from "../base/json.ts";
import { isObject } from "../base/is-object.ts";
import { isSame } from "../base/is-same.ts";
import { toolUsesOf } from "../message/query.ts";
import type { Transcript } from "../message/transcript.ts";
import type { Msg, ToolUseBlock } from "../message/types.ts";
import { BREAKPOINTS } from "./breakpoint-slot.ts";
import { hashInput } from "./hash.ts";
import { matchesName } from "./name-pattern.ts";
import { defineSlot } from "./slot.ts";
import { storedSlot, type StoredSlots } from "./stored-slots.ts";

const OPERATORS = ["=", "!=", ">", ">=", "<", "<=", "contains", "exists"] as const;

const valueSchema = z.union([z.string().max(1_000), z.number(), z.boolean(), z.null()]);

const testSchema = z
  .strictObject({
    path: z
      .string()
      .min(1)
      .max(200)
      .describe("The place in the arguments, such as `order.cents` or `items.0.name`."),
    is: z.enum(OPERATORS),
    value: valueSchema.optional(),
  })
  .refine(({ is, value }) => (is === "exists") === (value === undefined), {
    error: 'expected a `value`, and none with "exists"',
  })
  .refine(({ is, value }) => !/[<>]/u.test(is) || typeof value === "number", {
    error: "expected a number as `value` of a comparison",
  });

const breakpointSchema = z
  .strictObject({
    tool: z.string().min(1).max(200).optional(),
    where: z.array(testSchema).min(1).max(20).optional(),
    same: z.int().min(2).optional(),
    tokens: z.number().positive().optional(),
    cost: z.number().positive().optional(),
  })
  .refine((given) => Object.keys(given).length > 0, {
    error: "expected at least one of tool, where, same, tokens and cost",
  });

/** A test of one argument. `path` names it, with dots between keys and indexes. `contains` is about a text or a list. A value that is
 *  missing, or of another type, passes `!=` only. */
export type ArgumentTest = {
  readonly path: string;
  readonly is: (typeof OPERATORS)[number];
  /** The value that is compared; absent with `exists`. */
  readonly value?: string | number | boolean | null | undefined;
};

/** A condition about a call that a model asks for: all that it names must hold, and it names at least one thing. It is data, never code. */
export type Breakpoint = {
  /** The name of the tool, in which `*` stands for any characters and `?` for one. */
  readonly tool?: string | undefined;
  /** The tests of its arguments; all of them pass. */
  readonly where?: readonly ArgumentTest[] | undefined;
  /** The call is at least the n-th of the turn with this tool and these arguments, from 2. */
  readonly same?: number | undefined;
  /** The answers of the turn so far have taken at least so many tokens, those of the prompts included. */
  readonly tokens?: number | undefined;
  /** The answers of the turn so far have cost at least this, in the currency of the `modelOptions.prices` option. */
  readonly cost?: number | undefined;
};

/** The most breakpoints of a session. */
const MAX_BREAKPOINTS = 50;

/**
 * The breakpoints of a session: before a call that meets one of them, the session is suspended and waits for an approval, in any process.
 * Those who may decide about calls may write it, whatever the agent is. Pass it to `agent.slots`.
 *
 * @example
 * ```ts
 * import type { Agent } from "agentchart";
 * import { breakpoints } from "agentchart/inspect";
 *
 * export async function holdLargeRefunds(agent: Agent): Promise<void> {
 *   await agent.slots.set(breakpoints, [
 *     { tool: "refund", where: [{ path: "cents", is: ">", value: 5000 }] },
 *     { tool: "*", same: 3 },
 *   ]);
 * }
 * ```
 */
export const breakpoints = defineSlot<readonly Breakpoint[]>({
  name: "tools.breakpoints",
  initial: [],
  schema: z.array(breakpointSchema).max(MAX_BREAKPOINTS),
  writableByClients: true,
});

/** The breakpoints that a session has. `others`: the number of those that this release does not know, each of which every call meets. */
export function breakpointsIn(slots: StoredSlots): {
  readonly conditions: readonly Breakpoint[];
  readonly others: number;
} {
  const stored = storedSlot(slots, BREAKPOINTS)?.value ?? [];
  const given = Array.isArray(stored) ? stored : [stored];
  const known = given.filter((each) => breakpointSchema.safeParse(each).success);
  return { conditions: known as readonly Breakpoint[], others: given.length - known.length };
}

/** A call, with what is before it. */
export type BreakableCall = {
  /** The call as it is to run: hooks may have changed its arguments. */
  readonly call: ToolUseBlock;
  /** The messages of the turn. Those behind the answer that asks for the call do not count. */
  readonly turn: readonly Msg[];
};

/** Returns the first breakpoint that a call meets. The inspector, the command line and a live session ask this and nothing else. */
export function breakpointOf(
  conditions: readonly Breakpoint[],
  { call, turn }: BreakableCall,
): Breakpoint | undefined {
  const asks = ({ id }: ToolUseBlock): boolean => id === call.id;
  const until = turn.slice(0, 1 + turn.findLastIndex((message) => toolUsesOf(message).some(asks)));
  return conditions.find((condition) => meets(condition, { call, turn: until }));
}

function meets({ tool, where = [], same, tokens, cost }: Breakpoint, { call, turn }: BreakableCall): boolean {
  if (tool !== undefined && !matchesName(tool, call.name)) return false;
  if (!where.every((test) => passes(test, call.input))) return false;
  if (same !== undefined && placeAmongSame(call, turn) < same) return false;
  if (tokens !== undefined && spent(turn, tokensOf) < tokens) return false;
  return cost === undefined || spent(turn, (message) => message.usage?.cost ?? 0) >= cost;
}

const tokensOf = ({ usage }: Msg): number => (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);

function spent(turn: readonly Msg[], of: (message: Msg) => number): number {
  return turn.reduce((sum, message) => sum + of(message), 0);
}

/** The place of a call among those of its turn that ask for the same, from 1. Of others, and of itself, what the model asked for counts. */
function placeAmongSame({ id, name }: ToolUseBlock, turn: readonly Msg[]): number {
  const calls = turn.flatMap(toolUsesOf);
  const place = calls.findIndex((each) => each.id === id);
  if (place < 0) return 0;
  const hash = hashInput(calls[place]!.input);
  const before = calls.slice(0, place).filter((each) => each.name === name);
  return 1 + before.filter(({ input }) => hashInput(input) === hash).length;
}

function at(input: Json, path: string): Json | undefined {
  let value: Json | undefined = input;
  for (const key of path.split(".")) {
    if (Array.isArray(value)) value = /^\d+$/u.test(key) ? value[Number(key)] : undefined;
    else if (isObject(value) && Object.hasOwn(value, key)) value = value[key] as Json;
    else return undefined;
  }
  return value;
}

function passes({ path, is, value }: ArgumentTest, input: Json): boolean {
  const found = at(input, path);
  if (is === "exists") return found !== undefined;
  if (is === "=") return found === value;
  if (is === "!=") return found !== value;
  if (is === "contains")
    return typeof found === "string"
      ? found.includes(String(value))
      : Array.isArray(found) && found.some((each) => isSame(each, value));
  if (typeof found !== "number" || typeof value !== "number") return false;
  return is === ">"
    ? found > value
    : is === ">="
      ? found >= value
      : is === "<"
        ? found < value
        : found <= value;
}

/** Returns a breakpoint in words, such as `refund, cents > 5000`. */
export function breakpointText({ tool, where = [], same, tokens, cost }: Breakpoint): string {
  const shown = (value: ArgumentTest["value"]): string =>
    value === undefined ? "" : ` ${JSON.stringify(value)}`;
  return [
    ...(tool === undefined ? [] : [tool]),
    ...where.map(({ path, is, value }) => `${path} ${is}${shown(value)}`),
    ...(same === undefined ? [] : [`the same call ${same} times`]),
    ...(tokens === undefined ? [] : [`${tokens} tokens or more`]),
    ...(cost === undefined ? [] : [`cost ${cost} or more`]),
  ].join(", ");
}

/** Returns the breakpoint that a call of a session meets, as the reason for which it waits; undefined if it meets none. */
export function stopBefore(
  call: ToolUseBlock,
  session: {
    readonly slots: StoredSlots;
    readonly transcript: Pick<Transcript, "slice">;
    /** Index in the transcript at which the turn began. */
    readonly turnAt: number;
  },
): string | undefined {
  const { slots, transcript, turnAt } = session;
  const { conditions, others } = breakpointsIn(slots);
  const met = breakpointOf(conditions, { call, turn: transcript.slice(turnAt) });
  if (met) return `Breakpoint: ${breakpointText(met)}`;
  return others > 0 ? "Breakpoint: this release does not know its condition" : undefined;
}
