import { AgentError } from "../base/error.ts";
import { frozenCopy, jsonProblem, isObject, type JsonObject } from "../base/json.ts";
import { byteLength } from "../base/platform.ts";
import type { ToolSpec } from "../model/port.ts";
import { storedSlot, type StoredSlots } from "./stored-slots.ts";

/** A tool that a client declares and runs: its name, what it does, and the JSON Schema of its arguments. */
export type ClientTool = ToolSpec;

/** The most tools of one declaration. */
export const MAX_CLIENT_TOOLS = 64;

/** The size of one declaration, in bytes of JSON. */
export const MAX_CLIENT_TOOL_BYTES = 48 * 1024;

/** The slot with the tools that the client has declared for the turn, and that the agent lists. No tool, hook or client writes it. */
export const DECLARED = { name: "tools.client", version: 1 } as const;

/** The error for tools that no agent takes. */
export function invalidTools(problem: string): AgentError {
  return new AgentError("message/invalid", `The tools of the client: ${problem}`);
}

function oneTool(given: unknown, index: number): ClientTool {
  const { name, description, inputSchema, ...others } = isObject(given) ? given : ({} as JsonObject);
  const [other] = Object.keys(others);
  if (typeof name !== "string" || typeof description !== "string" || !isObject(inputSchema))
    throw invalidTools(
      `entry ${index} has no \`name\`, \`description\` and \`inputSchema\`; expected two strings and a JSON Schema.`,
    );
  if (other !== undefined) throw invalidTools(`entry ${index} has an unknown field '${other}'.`);
  return { name, description, inputSchema: inputSchema as JsonObject };
}

/** Checks the form of a declaration, and how large it is. Throws `message/invalid`. */
export function checkClientTools(given: unknown): readonly ClientTool[] {
  if (!Array.isArray(given)) throw invalidTools("expected an array.");
  if (given.length > MAX_CLIENT_TOOLS)
    throw invalidTools(`${given.length} are declared; expected at most ${MAX_CLIENT_TOOLS}.`);
  const problem = jsonProblem(given);
  if (problem !== undefined) throw invalidTools(`the declaration ${problem}; expected JSON.`);
  const bytes = byteLength(JSON.stringify(given));
  if (bytes > MAX_CLIENT_TOOL_BYTES)
    throw invalidTools(`they have ${bytes} bytes of JSON; expected at most ${MAX_CLIENT_TOOL_BYTES}.`);
  const tools = given.map(oneTool);
  const names = tools.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw invalidTools(`two are named '${twice}'.`);
  return frozenCopy(tools);
}

/** The declared tools in the slots of a session. */
export function declaredIn(slots: StoredSlots): readonly ClientTool[] {
  return (storedSlot(slots, DECLARED.name)?.value ?? []) as unknown as readonly ClientTool[];
}
