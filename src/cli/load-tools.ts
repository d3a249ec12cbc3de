import { AgentError } from "../core/base/error.ts";
import type { Tool } from "../core/tool/types.ts";
import { importFile } from "./import-file.ts";

/** The tools that a file exports: its default export, which is a tool or an array of tools, or otherwise every named export
 *  that is a tool. Rejects with `config/invalid` and one line that names the file and the remedy. */
export async function loadTools(file: string): Promise<readonly Tool[]> {
  const { default: main, ...named } = await importFile(file, "tools");
  if (Array.isArray(main)) {
    const wrong = main.findIndex((entry) => !isTool(entry));
    if (wrong >= 0) {
      throw invalid(
        `Entry ${wrong + 1} of the default export of ${file} is not a tool: make it with defineTool().`,
      );
    }
  }
  const listed = [main].flat().filter(isTool);
  const tools = [...new Set(listed.length > 0 ? listed : Object.values(named).flat().filter(isTool))];
  if (tools.length === 0) {
    throw invalid(
      `${file} exports no tools: export them by name or as "export default [...]", made with defineTool().`,
    );
  }
  return tools;
}

function invalid(message: string): AgentError {
  return new AgentError("config/invalid", message);
}

/** Whether defineTool() made the value, also that of another copy of this package. */
function isTool(value: unknown): value is Tool {
  if (typeof value !== "object" || value === null) return false;
  const { name, description, inputSchema, external } = value as Partial<Tool>;
  return (
    typeof name === "string" &&
    typeof description === "string" &&
    typeof inputSchema === "object" &&
    typeof external === "boolean"
  );
}
