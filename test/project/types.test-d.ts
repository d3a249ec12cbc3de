// Checked by `npm run typecheck`, never run.
import {
  createAgent,
  defineHook,
  defineSlot,
  defineTool,
  toolError,
  type AgentEvent,
  type OutputOf,
  type ToolContext,
} from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { expectTypeOf } from "vitest";
import { z } from "zod";

const model = scriptedModel([]);
const agent = createAgent({ name: "typed", model });

// The input of a tool is what its schema gives: defaults are filled in, transforms have run.
const input = z.object({
  city: z.string(),
  days: z.number().default(3),
  unit: z.enum(["C", "F"]).optional(),
});
defineTool({
  name: "forecast",
  description: "",
  input,
  execute(given, ctx) {
    expectTypeOf(given).toEqualTypeOf<{ city: string; days: number; unit?: "C" | "F" | undefined }>();
    expectTypeOf(ctx.signal).toEqualTypeOf<AbortSignal>();
    return { city: given.city, degrees: [1, 2, 3] };
  },
});
defineTool({
  name: "plain",
  description: "",
  input: { type: "object", properties: { a: { type: "number" } } },
  execute: (given) => {
    // @ts-expect-error: JSON Schema says nothing to the compiler, a field is any JSON
    const a: number = given["a"];
    return a;
  },
});

// What a tool may return.
defineTool({ name: "text", description: "", input, execute: () => "ok" });
defineTool({ name: "promise", description: "", input, execute: async () => ({ rows: [null, true, 1] }) });
defineTool({ name: "error", description: "", input, execute: () => toolError("no") });
defineTool({
  name: "generator",
  description: "",
  input,
  async *execute() {
    yield "halfway";
    return "done";
  },
});
interface Order {
  readonly id: string;
  readonly at: Date;
  readonly lines: readonly { readonly note?: string }[];
}
class Money {
  readonly #cents = 5;
  get [Symbol.toStringTag](): string {
    return "Money";
  }
  toJSON(): number {
    return this.#cents;
  }
}
declare const order: Order;
defineTool({ name: "interface", description: "", input, execute: async () => order });
defineTool({ name: "interfaces", description: "", input, execute: (): readonly Order[] => [order] });
defineTool({ name: "maybe", description: "", input, execute: async (): Promise<Order | null> => null });
defineTool({ name: "date", description: "", input, execute: () => new Date() });
defineTool({ name: "class", description: "", input, execute: () => ({ price: new Money() }) });
defineTool({ name: "toJSON", description: "", input, execute: () => new Money() });
defineTool({
  name: "steps",
  description: "",
  input,
  async *execute() {
    yield "halfway";
    return order;
  },
});
// @ts-expect-error: an optional result may be undefined, which is not a result
defineTool({ name: "optional", description: "", input, execute: (): Order | undefined => order });
// @ts-expect-error: a function has no JSON
defineTool({ name: "function", description: "", input, execute: () => () => order });
// @ts-expect-error: a bigint has no JSON
defineTool({ name: "bigint", description: "", input, execute: () => 1n });
defineTool({
  name: "numbers",
  description: "",
  input,
  // @ts-expect-error: progress is text
  async *execute() {
    yield 1;
    return "done";
  },
});
// @ts-expect-error: nothing is not a result
defineTool({ name: "nothing", description: "", input, execute: () => undefined });
// @ts-expect-error: a forgotten return is not a result
defineTool({ name: "forgotten", description: "", input, execute: async () => {} });
// @ts-expect-error: the JSON of a Map says nothing
defineTool({ name: "map", description: "", input, execute: () => new Map() });

// A typed context, from the agent to its tools and hooks.
type Desk = { readonly tenant: string };
const tenant = defineTool({
  name: "tenant",
  description: "",
  input,
  execute: (_, ctx: ToolContext<Desk>) => ctx.context.tenant,
});
createAgent<Desk>({ name: "desk", model, tools: [tenant], context: { tenant: "a" } });
// @ts-expect-error: this context has no tenant
createAgent<Desk>({ name: "desk", model, tools: [tenant], context: {} });

// The structured answer has the type of its schema.
expectTypeOf<OutputOf<typeof input>>().toEqualTypeOf<{
  city: string;
  days: number;
  unit?: "C" | "F" | undefined;
}>();
expectTypeOf<OutputOf<undefined>>().toEqualTypeOf<undefined>();
expectTypeOf((await agent.call("hi")).output).toEqualTypeOf<undefined>();
expectTypeOf((await agent.call("hi", { output: input })).output.days).toEqualTypeOf<number>();
expectTypeOf((await agent.stream("hi", { output: input }).reply).output.city).toEqualTypeOf<string>();

// The type of an event tells which one it is.
function read(event: AgentEvent): string {
  if (event.type === "block.delta") return event.kind === "text" ? event.delta : (event.name ?? "");
  if (event.type === "tool.end") return event.result.state;
  if (event.type === "turn.end") return event.reply?.id ?? event.error?.code ?? event.reason;
  // @ts-expect-error: only deltas have a delta
  return event.delta;
}
expectTypeOf(read).returns.toEqualTypeOf<string>();

// A hook returns what its point may change.
defineHook({
  name: "ok",
  postReasoning: ({ message, finishReason }) => {
    expectTypeOf(finishReason).toEqualTypeOf<
      "stop" | "length" | "tool_calls" | "content_filter" | "refusal" | "unknown"
    >();
    return { message, stop: true };
  },
});
// @ts-expect-error: a result cannot deny its call any more
defineHook({ name: "late", postActing: () => ({ deny: "no" }) });
// @ts-expect-error: there is no such point
defineHook({ name: "typo", preReason: () => {} });

// A slot gives values of its own type to tools, to hooks and to `agent.slots`.
type Plan = { readonly steps: readonly string[] };
const plan = defineSlot<Plan | null>({ name: "plan", initial: null });
interface Step {
  readonly text: string;
}
const step: Step = { text: "measure" };
defineTool({
  name: "plan",
  description: "",
  input,
  writes: [plan],
  execute: (_, { slots }) => {
    expectTypeOf(slots.get(plan)).toEqualTypeOf<Plan | null>();
    return { output: [], slots: { plan: { steps: ["cut"] }, interface: step } };
  },
});
defineHook({
  name: "plan",
  writes: [plan],
  postReasoning: ({ slots }) => ({ stop: slots.get(plan)?.steps.length === 0, slots: { plan: null } }),
  // @ts-expect-error: a function is not JSON
  postCall: () => ({ slots: { plan: () => {} } }),
});
expectTypeOf(agent.slots.get(plan)).resolves.toEqualTypeOf<{
  readonly value: Plan | null;
  readonly revision: number;
}>();
// @ts-expect-error: not a value of this slot
void agent.slots.set(plan, { steps: [1] });
