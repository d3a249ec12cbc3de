import { statSync } from "node:fs";
import { resolve } from "node:path";
import { AgentError } from "../base/error.ts";
import type { Tool } from "../tool/types.ts";
import { importFile } from "./import-file.ts";

/** The tools that a file exports: its default export, a tool or a list of tools, or else every named export that is
 *  one. Throws `config/invalid` with a line that names the file and says what to do. */
export async function loadTools(file: string): Promise<readonly Tool[]> {
  const path = resolve(file);
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) {
    throw invalid(`There is no tools file ${path}: check --tools.`);
  }
  const module = await importFile(file, path);
  const { default: main, ...named } = module;
  if (Array.isArray(main)) {
    const stranger = main.findIndex((entry) => !isTool(entry));
    if (stranger >= 0) {
      throw invalid(
        `Entry ${stranger + 1} of the default export of ${file} is no tool: make it with defineTool().`,
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

/** True for what defineTool() made, also that of another copy of this package. */
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
