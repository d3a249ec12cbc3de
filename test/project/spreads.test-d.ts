// Lists of tools, some of which have names that the compiler does not know, in any order: checked by `npm run typecheck`, never run.
import { createAgent, defineTool, type Tool } from "agentchart";
import { mcp } from "agentchart/mcp";
import { scriptedModel } from "agentchart/testing";
import { expectTypeOf } from "vitest";
import { z } from "zod";

const model = scriptedModel([]);
const server = await mcp({ name: "files", url: "http://127.0.0.1:1" });
declare const many: readonly Tool[];
declare const list: Tool[];
const own = defineTool({
  name: "own",
  description: "",
  input: z.object({ a: z.number() }),
  execute: () => "",
});
const two = defineTool({
  name: "two",
  description: "",
  input: z.object({ b: z.string() }),
  execute: () => "",
});

/** True for agents whose calls of `own` and `two` are typed. */
function checkBoth(pending: { readonly name: string; readonly input: unknown }): void {
  void pending;
}

for (const agent of [
  createAgent({ name: "a", model, tools: [own, two] }),
  createAgent({ name: "a", model, tools: [...server.tools(), own, two] }),
  createAgent({ name: "a", model, tools: [own, ...server.tools(), two] }),
  createAgent({ name: "a", model, tools: [own, two, ...server.tools()] }),
  createAgent({ name: "a", model, tools: [...many, own, two] }),
  createAgent({ name: "a", model, tools: [...list, own, ...many, two] }),
  createAgent({ name: "a", model, tools: [...server.tools(), ...list, own, ...server.tools(), two] }),
]) {
  for (const call of agent.status().pending) {
    checkBoth(call);
    if (call.name === "own") expectTypeOf(call.input).toEqualTypeOf<{ readonly a: number }>();
    if (call.name === "two") expectTypeOf(call.input).toEqualTypeOf<{ readonly b: string }>();
    // @ts-expect-error: no tool has this name
    if (call.name === "three") throw new Error(call.name);
  }
}

const kept = [...server.tools(), own];
createAgent({ name: "a", model, tools: kept });
createAgent({ name: "a", model, tools: server.tools() });
createAgent({ name: "a", model, tools: many });
createAgent({ name: "a", model, tools: [] });
createAgent({ name: "a", model, tools: [...server.tools(), ...server.tools(), own] });
createAgent({
  name: "a",
  model,
  personas: { b: { tools: [...server.tools(), own] } },
  handoffs: [{ to: "b", description: "" }],
});

// @ts-expect-error: that is not a tool
createAgent({ name: "a", model, tools: [...server.tools(), { name: "own" }] });
