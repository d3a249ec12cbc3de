// Checked by `npm run typecheck`, never run.
import {
  createAgent,
  createToolkit,
  defineTool,
  type Agent,
  type AnyAgent,
  type AgentEvent,
  type CallsOf,
  type JsonObject,
  type Tool,
  type ToolContext,
} from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { expectTypeOf } from "vitest";
import { z } from "zod";

const model = scriptedModel([]);
const pay = defineTool({
  name: "pay",
  description: "",
  input: z.object({ amount: z.number(), currency: z.string(), note: z.string().optional() }),
  preset: { currency: "EUR" },
  execute: ({ amount, currency }) => amount + currency,
});
const ask = defineTool({
  name: "ask",
  description: "",
  input: z.object({ days: z.number().default(3), sizes: z.array(z.object({ w: z.number().optional() })) }),
});
const plain = defineTool({ name: "plain", description: "", input: { type: "object" }, execute: () => "ok" });
declare const ofMcp: readonly Tool[];
const agent = createAgent({
  name: "typed",
  model,
  tools: [pay, ask, plain, ...ofMcp],
  toolOptions: { clientTools: ["pick"] },
});

// The name of a call tells its arguments, as the model writes them: without presets, with nulls, before defaults are filled in.
type Pay = { readonly amount: number; readonly note?: string | null };
function read(
  event: (typeof agent extends Agent<unknown, infer Calls> ? [AgentEvent<Calls>] : never)[0],
): void {
  if (event.type === "tool.start") {
    if (event.call.name === "pay") expectTypeOf(event.call.input).toEqualTypeOf<Pay>();
    else if (event.call.name === "plain") expectTypeOf(event.call.input).toEqualTypeOf<JsonObject>();
    else if (event.call.name === "ask")
      expectTypeOf(event.call.input).toEqualTypeOf<{
        readonly days?: number | null;
        readonly sizes: readonly { readonly w?: number | null }[];
      }>();
    else {
      expectTypeOf(event.call.input).toEqualTypeOf<JsonObject>(); // of a tool that is known to nobody here
      const name: string = event.call.name;
      expectTypeOf(name === "pick").toBeBoolean();
    }
    expectTypeOf(event.call.id).toBeString();
    // @ts-expect-error: no tool that is known has this name
    if (event.call.name === "pey") return;
    // @ts-expect-error: the arguments of "pay" have no such name
    if (event.call.name === "pay") void event.call.input.amuont;
  }
  if (event.type === "tool.end" && event.result.name === "pay")
    expectTypeOf(event.result.name).toEqualTypeOf<"pay">();
  if (event.type === "pending")
    for (const call of event.calls) if (call.name === "pay") expectTypeOf(call.input).toEqualTypeOf<Pay>();
}
agent.subscribe(read);
agent.subscribe((event) => {
  if (event.type === "tool.start" && event.call.name === "pay")
    expectTypeOf(event.call.input.amount).toBeNumber();
});
const stream = agent.stream("Pay.", { output: z.object({ paid: z.boolean() }) });
for await (const event of stream) read(event);
const reply = await stream.reply;
expectTypeOf(reply.output.paid).toBeBoolean();
for (const pending of [reply.pending, agent.status().pending, await agent.decide("c1", "approve")])
  for (const call of pending) {
    if (call.name === "pay") expectTypeOf(call.input).toEqualTypeOf<Pay>();
    expectTypeOf(call.argsHash).toBeString();
  }

// A tool that is defined in the list is known too, and so is one that needs a context.
createAgent({
  name: "inline",
  model,
  tools: [
    defineTool({ name: "look", description: "", input: z.object({ at: z.string() }), execute: () => 1 }),
  ],
}).subscribe((event) => {
  if (event.type === "tool.start" && event.call.name === "look")
    expectTypeOf(event.call.input.at).toBeString();
});
type Desk = { readonly tenant: string };
const rent = defineTool({
  name: "rent",
  description: "",
  input: z.object({ flat: z.int() }),
  execute: (_, ctx: ToolContext<Desk>) => ctx.context.tenant,
});
const desk = createAgent({ name: "desk", model, tools: [rent, pay], context: { tenant: "a" } });
for (const call of desk.status().pending)
  if (call.name === "rent") expectTypeOf(call.input.flat).toBeNumber();

// Where tools are not known, names are strings and arguments are JSON.
const bare: Agent = createAgent({ name: "bare", model, toolkit: createToolkit() });
expectTypeOf(bare).toEqualTypeOf<Agent>();
expectTypeOf(createAgent({ name: "mcp", model, tools: ofMcp })).toEqualTypeOf<Agent>();
expectTypeOf(createAgent<Desk>({ name: "desk", model, tools: [rent] })).toEqualTypeOf<Agent<Desk>>();
expectTypeOf<CallsOf<readonly Tool[]>>().toEqualTypeOf<{
  readonly name: string;
  readonly input: JsonObject;
}>();

// Whoever takes any agent, event or tool takes these.
const agents: readonly Agent[] = [agent, bare];
const tools: readonly Tool[] = [pay, ask, plain];
const listener = (event: AgentEvent): string => event.type;
agent.subscribe(listener);
expectTypeOf(agents[0]!.status().pending[0]!.name).toBeString();
expectTypeOf(tools[0]!.name).toEqualTypeOf<string>();
expectTypeOf<typeof agent>().toExtend<AnyAgent>();
