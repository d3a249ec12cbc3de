import { z } from "zod";
import { isSame, isObject, type Json } from "../base/json.ts";
import { toolUsesOf } from "../message/msg.ts";
import type { Msg, ToolUseBlock } from "../message/types.ts";
import { defineSlot } from "./slot.ts";
import { BREAKPOINTS, isAboutSession, storedSlot, type StoredSlots } from "./stored-slots.ts";
import {
  BREAKPOINT_REASON,
  breakpointText,
  OPERATORS,
  type ArgumentTest,
  type Breakpoint,
} from "./breakpoint.ts";
import { hashInput } from "../base/hash.ts";
import { matchesName } from "./name-pattern.ts";

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

const nameSchema = z.string().min(1).max(200);

const someOf = <Shape extends z.core.$ZodShape>(shape: Shape) =>
  z.strictObject(shape).refine((given) => Object.keys(given).length > 0, {
    error: `expected at least one of ${Object.keys(shape).join(", ")}`,
  });

const breakpointSchema = z
  .strictObject({
    state: nameSchema.optional(),
    edge: someOf({
      from: nameSchema.optional(),
      to: nameSchema.optional(),
      on: nameSchema.optional(),
    }).optional(),
    guard: z.strictObject({ name: nameSchema, is: z.boolean() }).optional(),
    hook: someOf({
      name: nameSchema.optional(),
      point: nameSchema.optional(),
      changed: nameSchema.optional(),
    }).optional(),
    tool: nameSchema.optional(),
    where: z.array(testSchema).min(1).max(20).optional(),
    same: z.int().min(2).optional(),
    tokens: z.number().positive().optional(),
    cost: z.number().positive().optional(),
  })
  .refine((given) => Object.keys(given).length > 0, {
    error: "expected at least one of state, edge, guard, hook, tool, where, same, tokens and cost",
  });

/** The most breakpoints of a session. */
const MAX_BREAKPOINTS = 50;

/**
 * The breakpoints of a session. Before a call or a request to the model that meets one of them, the session is suspended, and goes on in
 * any process. Those who may decide about calls may write it, whatever the agent is. Pass it to `agent.slots`.
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

/** An edge that a session has taken. */
export type PassedEdge = {
  /** The path of the state that it leaves, and of those around it. */
  readonly left: readonly string[];
  /** The paths of the states that it enters, the outermost first. */
  readonly entered: readonly string[];
  /** Its event as XState names it; "" for a decision. */
  readonly on: string;
  /** The guards that were judged before it was taken, by their names, and with their parameters. */
  readonly guards: readonly { readonly names: readonly string[]; readonly is: boolean }[];
  readonly hooks: readonly {
    readonly names: readonly string[];
    readonly point: string;
    readonly changed: readonly string[];
  }[];
  /** Epoch ms. */
  readonly at: number;
  /** The position in the journal; absent without a store. */
  readonly seq?: number;
};

/** A place at which a session can rest, with what is before it: a call, or a request to the model. */
export type BreakPlace = {
  /** The call as it is to run: hooks may have changed its arguments. Absent before a request. */
  readonly call?: ToolUseBlock | undefined;
  /** The messages of the turn. Those behind the answer that asks for the call do not count. */
  readonly turn: readonly Msg[];
  /** The edges that the session has taken since it rested last. */
  readonly passed: readonly PassedEdge[];
};

/** A breakpoint that is met; `step` is the newest of the edges that its conditions about steps are about. */
export type MetBreakpoint = { readonly breakpoint: Breakpoint; readonly step?: PassedEdge };

/** Returns the first breakpoint that a call or a request meets. The inspector, the command line and a live session ask this and nothing else. */
export function breakpointOf(
  conditions: readonly Breakpoint[],
  { call, turn, passed }: BreakPlace,
): MetBreakpoint | undefined {
  const asks = ({ id }: ToolUseBlock): boolean => id === call?.id;
  const until = call
    ? turn.slice(0, 1 + turn.findLastIndex((message) => toolUsesOf(message).some(asks)))
    : turn;
  for (const breakpoint of conditions) {
    if (call ? !fitsCall(breakpoint, call, until) : !isAboutSession(breakpoint)) continue;
    const places = stepTests(breakpoint).map((test) => passed.findLastIndex(test));
    if (places.includes(-1) || !hasSpent(breakpoint, until)) continue;
    return { breakpoint, ...(places.length > 0 && { step: passed[Math.max(...places)]! }) };
  }
  return undefined;
}

/** True if one of the breakpoints is about steps, and not about the call and its turn alone. */
export function areAboutSteps(conditions: readonly Breakpoint[]): boolean {
  return conditions.some((each) => stepTests(each).length > 0);
}

/** The tests of a breakpoint that an edge must pass, each another one or the same. */
function stepTests({ state, edge, guard, hook }: Breakpoint): readonly ((passed: PassedEdge) => boolean)[] {
  const fits = (pattern: string | undefined, names: readonly string[]): boolean =>
    pattern === undefined || names.some((name) => matchesName(pattern, name));
  return [
    ...(state === undefined ? [] : [({ entered }: PassedEdge) => fits(state, entered)]),
    ...(edge === undefined
      ? []
      : [
          ({ left, entered, on }: PassedEdge) =>
            fits(edge.from, left) && fits(edge.to, entered) && fits(edge.on, [on]),
        ]),
    ...(guard === undefined
      ? []
      : [
          ({ guards }: PassedEdge) =>
            guards.some(({ names, is }) => is === guard.is && fits(guard.name, names)),
        ]),
    ...(hook === undefined
      ? []
      : [
          ({ hooks }: PassedEdge) =>
            hooks.some(
              ({ names, point, changed }) =>
                fits(hook.name, names) && fits(hook.point, [point]) && fits(hook.changed, changed),
            ),
        ]),
  ];
}

/** True if the parts of a breakpoint that are about the call hold. */
function fitsCall({ tool, where = [], same }: Breakpoint, call: ToolUseBlock, turn: readonly Msg[]): boolean {
  if (tool !== undefined && !matchesName(tool, call.name)) return false;
  if (!where.every((test) => passes(test, call.input))) return false;
  return same === undefined || placeAmongSame(call, turn) >= same;
}

/** True if the turn has taken the tokens and the cost that a breakpoint names. */
function hasSpent({ tokens, cost }: Breakpoint, turn: readonly Msg[]): boolean {
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

/** Returns an edge in words, such as `reasoning.calling → reasoning.backingOff`. */
export function edgeText({ left: [from = ""], entered, on }: PassedEdge): string {
  return `${from} → ${entered.at(-1) ?? on}`;
}

/** The first breakpoint that a call or a request of a session meets, as the reason for which it waits; undefined if it meets none. */
export function stopReason(
  place: BreakPlace,
  { conditions, others }: ReturnType<typeof breakpointsIn>,
): string | undefined {
  const met = breakpointOf(conditions, place);
  if (!met)
    return others > 0 && place.call
      ? `${BREAKPOINT_REASON}this release does not know its condition`
      : undefined;
  const { breakpoint, step } = met;
  const position = step?.seq === undefined ? "" : `, position ${step.seq}`;
  return `${BREAKPOINT_REASON}${breakpointText(breakpoint)}${step ? ` (${edgeText(step)}${position})` : ""}`;
}
