import { truncated } from "../base/shown.ts";
import { perObject, type JsonObject } from "../base/json.ts";
import { boundedSchema } from "./bounded-schema.ts";
import { checkClientTools, declaredIn, invalidTools, type ClientTool } from "./declared-tools.ts";
import { defineTool } from "./define.ts";
import { schemaProblem } from "./schema-problem.ts";
import type { StoredSlots } from "./stored-slots.ts";
import type { AnyTool } from "./types.ts";

/** Returns those of a declaration that are `listed`. Throws `message/invalid` for one that no model can call. */
export function acceptedTools(
  declared: readonly ClientTool[],
  listed: readonly string[],
): readonly ClientTool[] {
  if (listed.length === 0) return [];
  const accepted = checkClientTools(declared).filter(({ name }) => listed.includes(name));
  for (const { name, inputSchema } of accepted) {
    const { type } = inputSchema;
    const problem = schemaProblem(inputSchema);
    if (problem !== undefined)
      throw invalidTools(`the schema of '${truncated(name)}' is not a JSON Schema: ${problem}.`);
    if (type !== undefined && type !== "object")
      throw invalidTools(
        `the schema of '${truncated(name)}' is not the schema of an object, but of ${JSON.stringify(type)}.`,
      );
  }
  return accepted;
}

/** The declared tool as an agent calls it: a call waits for the client. Its arguments are checked as far as that takes bounded time; the
 *  client that has declared more checks it itself. */
const toolOf = perObject(({ name, description, inputSchema }: ClientTool): AnyTool => {
  const input = { type: "object", ...(boundedSchema(inputSchema) as JsonObject) };
  return defineTool({ name, description, input }) as AnyTool;
});

/** The tools of a client that a session has, for an agent that lists them and has none of its own with their names. */
export class ClientTools {
  readonly #listed: ReadonlySet<string>;
  readonly #isTaken: (name: string) => boolean;

  constructor(listed: readonly string[], isTaken: (name: string) => boolean) {
    this.#listed = new Set(listed);
    this.#isTaken = isTaken;
  }

  offered(slots: StoredSlots): readonly ClientTool[] {
    return declaredIn(slots).filter(({ name }) => this.#listed.has(name) && !this.#isTaken(name));
  }

  find(name: string, slots: StoredSlots): AnyTool | undefined {
    const found = this.offered(slots).find((tool) => tool.name === name);
    return found && toolOf(found);
  }
}
