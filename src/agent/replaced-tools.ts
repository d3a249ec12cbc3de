import type { AnyAgentConfig } from "./options/agent-config.ts";
import { ownToolkit } from "../core/tool/toolkit.ts";
import type { AnyTool, AnyToolkit } from "../core/tool/types.ts";

/** The options of an agent that bring tools. */
type WithTools = Pick<AnyAgentConfig, "tools" | "toolkit" | "personas" | "hooks">;

/** Returns the options that bring tools, with another one for each: of the agent, its toolkit, its personas and its hooks. */
export function replacedTools<C extends WithTools>(
  { tools, toolkit, personas, hooks }: C,
  replace: (tool: AnyTool) => AnyTool,
): Pick<C, keyof WithTools> {
  const all = (some: readonly AnyTool[]): AnyTool[] => some.map((tool) => replace(tool));
  return {
    ...(tools && { tools: all(tools) }),
    ...(toolkit && { toolkit: replacedToolkit(toolkit, all) }),
    ...(personas && {
      personas: Object.fromEntries(
        Object.entries(personas).map(([name, persona]) => [
          name,
          persona.tools ? { ...persona, tools: all(persona.tools) } : persona,
        ]),
      ),
    }),
    ...(hooks && { hooks: hooks.map((hook) => (hook.tools ? { ...hook, tools: all(hook.tools) } : hook)) }),
  } as Pick<C, keyof WithTools>;
}

/** A toolkit with the tools of another one in their order, each replaced. */
function replacedToolkit(toolkit: AnyToolkit, replaced: (all: readonly AnyTool[]) => AnyTool[]): AnyToolkit {
  const own = ownToolkit(toolkit);
  const tools = own.tools();
  for (const { name } of tools) own.remove(name);
  for (const tool of replaced(tools)) own.add(tool);
  return own as unknown as AnyToolkit;
}

/** Returns the tool with something else in the place of what it does. It has no source any more, which could bring back what really acts. */
export function withExecute(tool: AnyTool, execute: (input: unknown, ctx: never) => unknown): AnyTool {
  const { source: _, ...own } = tool;
  return { ...own, execute: execute as unknown as NonNullable<AnyTool["execute"]> };
}
