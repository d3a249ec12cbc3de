import { AgentError } from "../base/error.ts";
import { truncated } from "../base/shown.ts";
import type { JsonObject } from "../base/json.ts";
import { defineTool } from "./define.ts";
import { META_TOOL } from "./reserved-names.ts";
import type { StandardSchema, AnyTool } from "./types.ts";
import { validateInput } from "./validate-input.ts";

/** The groups of a toolkit, by name. */
export type Groups = ReadonlyMap<string, { readonly description: string; active: boolean }>;

/** Returns a `tool/unknown-group`. */
export function unknownGroup(name: string): AgentError {
  return new AgentError("tool/unknown-group", `Tool group '${truncated(name)}' does not exist`);
}

/** An unknown group is called by its name, which a validator of the schema does not do. */
function problemOf(input: unknown, schema: JsonObject, groups: Groups): string | null {
  const problem = validateInput(schema, input);
  const asked = (input as { readonly to_activate?: unknown }).to_activate;
  const unknown = Array.isArray(asked) ? asked.find((name) => !groups.has(String(name))) : undefined;
  return unknown === undefined ? problem : unknownGroup(String(unknown)).message;
}

/** The tool with which the model chooses among groups. `activate` makes exactly the groups with these names active, and returns the names
 *  of their tools. */
export function metaTool(groups: Groups, activate: (names: readonly string[]) => readonly string[]): AnyTool {
  const list = Array.from(
    groups,
    ([name, { active, description }]) => `- ${name} (${active ? "active" : "inactive"}): ${description}`,
  );
  const tool = defineTool({
    name: META_TOOL,
    description: `Choose your tool groups: exactly the groups named in to_activate are active afterwards.\n${list.join("\n")}`,
    input: {
      type: "object",
      properties: {
        to_activate: { type: "array", items: { type: "string", enum: [...groups.keys()] } },
      },
      required: ["to_activate"],
    },
    execute: (input) => {
      const active = input["to_activate"] as readonly string[];
      const names = activate(active);
      return `Successfully activated tool groups: ${active.join(", ") || "none"}. Tools now available from them: ${names.join(", ") || "none"}.`;
    },
  });
  const schema: StandardSchema = {
    "~standard": {
      version: 1,
      vendor: "agentchart",
      validate: (value) => {
        const problem = problemOf(value, tool.inputSchema, groups);
        return problem === null ? { value } : { issues: [{ message: problem }] };
      },
    },
  };
  return { ...tool, schema } as AnyTool;
}
