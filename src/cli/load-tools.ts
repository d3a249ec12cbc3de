import { statSync } from "node:fs";
import { relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { AgentError, messageOf } from "../error/error.ts";
import type { Tool } from "../tool/types.ts";

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

async function importFile(file: string, path: string): Promise<{ readonly [name: string]: unknown }> {
  try {
    return (await import(pathToFileURL(path).href)) as { readonly [name: string]: unknown };
  } catch (thrown) {
    throw invalid(sentenceOf(thrown, file), thrown);
  }
}

function sentenceOf(thrown: unknown, file: string): string {
  const { code } = thrown as { readonly code?: unknown };
  const said = messageOf(thrown).replace(/\.$/, "");
  const missing = /Cannot find package '([^']+)'/.exec(said)?.[1];
  if (missing)
    return `${file} imports the package "${missing}", which is not there: run "npm install ${missing}".`;
  if (code === "ERR_MODULE_NOT_FOUND") return `${file} imports a file that is not there: ${said}.`;
  if (code === "ERR_UNKNOWN_FILE_EXTENSION") return `${file} is no .ts or .js file.`;
  if (thrown instanceof SyntaxError) return `${placeOf(thrown) ?? file} does not compile: ${said}.`;
  return `${file} failed while it was loaded: ${said}.`;
}

/** "file:line" as Node puts it above the message of a syntax error. */
function placeOf({ stack = "" }: Error): string | undefined {
  const [, path, line] =
    /^(?:file:\/\/)?(\/\S.*|[A-Za-z]:\\.*):(\d+)$/m.exec(stack.split("\n", 1)[0] ?? "") ?? [];
  return path && `${relative(".", path) || path}:${line}`;
}

function invalid(message: string, cause?: unknown): AgentError {
  return new AgentError("config/invalid", message, { cause });
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
