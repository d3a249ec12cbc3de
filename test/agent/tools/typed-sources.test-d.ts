// Checked by `npm run typecheck`, never run.
import {
  createAgent,
  createToolkit,
  defineTool,
  type Agent,
  type JsonObject,
  type Status,
  type Tool,
  type Toolkit,
  type ToolContext,
} from "agentchart";
import { agentTool } from "agentchart/team";
import { scriptedModel } from "agentchart/testing";
import { expectTypeOf } from "vitest";
import { z } from "zod";

const model = scriptedModel([]);
const pay = defineTool({
  name: "pay",
  description: "",
  input: z.object({ euros: z.number() }),
  execute: () => "paid",
});
const look = defineTool({
  name: "look",
  description: "",
  input: z.object({ at: z.string() }),
  groups: ["web"],
  execute: () => "seen",
});
declare const ofMcp: readonly Tool[];

// The tools of a toolkit are known: those that it was created with.
const toolkit = createToolkit({
  tools: [pay, look, ...ofMcp],
  groups: [{ name: "web", description: "" }],
  metaTool: true,
});
const equipped = createAgent({ name: "equipped", model, toolkit });
for (const call of equipped.status().pending) {
  if (call.name === "pay") expectTypeOf(call.input.euros).toBeNumber();
  else if (call.name === "look") expectTypeOf(call.input.at).toBeString();
  else expectTypeOf(call.input).toEqualTypeOf<JsonObject>(); // of MCP, of a hook, or the meta tool
  // @ts-expect-error: no tool that is known has this name
  if (call.name === "pey") break;
}
const empty = createAgent({ name: "empty", model, toolkit: createToolkit() });
expectTypeOf(empty.status()).toEqualTypeOf<Status>();
const inline = createAgent({ name: "inline", model, toolkit: createToolkit({ tools: [pay] }) });
for (const call of inline.status().pending)
  if (call.name === "pay") expectTypeOf(call.input.euros).toBeNumber();
const kits: readonly Toolkit[] = [toolkit, createToolkit()];
expectTypeOf(createAgent({ name: "any", model, toolkit: kits[0]! })).toEqualTypeOf<Agent>();
equipped.toolkit.add(pay);

// A toolkit with a context gives it to the agent.
type Desk = { readonly tenant: string };
const rent = defineTool({
  name: "rent",
  description: "",
  input: z.object({ flat: z.int() }),
  execute: (_, ctx: ToolContext<Desk>) => ctx.context.tenant,
});
const rented = createToolkit({ tools: [rent] });
const desk = createAgent({ name: "desk", model, toolkit: rented, context: { tenant: "a" } });
for (const call of desk.status().pending)
  if (call.name === "rent") expectTypeOf(call.input.flat).toBeNumber();

// So are the tools of personas, beside those of the agent itself.
const office = createAgent({
  name: "front",
  model,
  tools: [look],
  personas: {
    billing: { sysPrompt: "You bill.", tools: [pay, ...ofMcp] },
    legal: { sysPrompt: "You advise." },
    inline: {
      tools: [defineTool({ name: "file", description: "", input: z.object({ under: z.string() }) })],
    },
  },
  handoffs: [{ to: "billing", description: "Bills." }],
});
office.subscribe((event) => {
  if (event.type !== "tool.start") return;
  const { call } = event;
  if (call.name === "pay") expectTypeOf(call.input.euros).toBeNumber();
  else if (call.name === "look") expectTypeOf(call.input.at).toBeString();
  else if (call.name === "file") expectTypeOf(call.input.under).toBeString();
  else expectTypeOf(call.input).toEqualTypeOf<JsonObject>();
});
createAgent({
  name: "untyped",
  model,
  // @ts-expect-error: a persona has no such option
  personas: { billing: { sysPromt: "You bill." } },
  handoffs: [],
});

// And a tool that is an agent: by its name, with the arguments that it takes.
const helper = agentTool({ agent: { name: "helper", model }, name: "ask_helper" });
expectTypeOf(helper.name).toEqualTypeOf<"ask_helper">();
const clerk = agentTool({
  agent: { name: "clerk", model },
  name: "ask_clerk",
  input: z.object({ form: z.number(), note: z.string().optional() }),
  prompt: ({ form }) => `Form ${form}.`,
});
const unnamed = agentTool({ agent: { name: "other", model } });
expectTypeOf(unnamed.name).toBeString();
const boss = createAgent({ name: "boss", model, tools: [helper, clerk, unnamed] });
for (const call of boss.status().pending) {
  if (call.name === "ask_helper")
    expectTypeOf(call.input).toEqualTypeOf<{
      readonly message: string;
      readonly session_id?: string | null;
    }>();
  else if (call.name === "ask_clerk")
    expectTypeOf(call.input).toEqualTypeOf<{ readonly form: number; readonly note?: string | null }>();
  else expectTypeOf(call.input).toEqualTypeOf<JsonObject>();
}
const tools: readonly Tool[] = [helper, clerk, unnamed];
expectTypeOf(createAgent({ name: "list", model, tools })).toEqualTypeOf<Agent>();
