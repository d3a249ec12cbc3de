import type { Json, JsonObject } from "../core/base/json.ts";
import { defineTool } from "../core/tool/define.ts";
import { parseStandard } from "../core/tool/prepare-input.ts";
import { isStandardSchema, jsonSchemaOf } from "../core/tool/schema.ts";
import { validateInput } from "../core/tool/validate-input.ts";
import type { Schema, StandardSchema, AnyTool } from "../core/tool/types.ts";
import { OUTPUT_TOOL } from "../core/tool/reserved-names.ts";

/** Returns a `$ref` of a schema that was moved one level down, with its `$defs` moved to the root. */
function movedRef(ref: string, id: string): string {
  const local = id !== "" && (ref === id || ref.startsWith(`${id}#`)) ? ref.slice(id.length) || "#" : ref;
  const isMoved = local === "#" || (local.startsWith("#/") && !/^#\/(\$|%24)defs(\/|$)/i.test(local));
  return isMoved ? `#/properties/response${local.slice(1)}` : local;
}

/** Moves every `$ref` of a schema, except in a part with an `$id`, whose references are relative to that part. */
function movedRefs(schema: Json, id: string): Json {
  if (Array.isArray(schema)) return schema.map((item: Json) => movedRefs(item, id));
  if (typeof schema !== "object" || schema === null) return schema;
  if (typeof (schema as JsonObject)["$id"] === "string") return schema;
  return Object.fromEntries(
    Object.entries(schema as JsonObject).map(([key, value]) => [
      key,
      key === "$ref" && typeof value === "string" ? movedRef(value, id) : movedRefs(value, id),
    ]),
  );
}

function wrapSchema(schema: StandardSchema, json: JsonObject): StandardSchema {
  return {
    "~standard": {
      version: 1,
      vendor: "agentchart",
      validate: async (value: unknown) => {
        const problems = validateInput(json, value);
        if (problems !== null) return { issues: [{ message: problems }] };
        const parsed = await parseStandard(schema, (value as JsonObject)["response"]);
        return "problems" in parsed ? { issues: [{ message: parsed.problems }] } : { value };
      },
    },
  };
}

/** Returns the tool with which a model gives its structured answer. It belongs to one call and is never on a toolkit (S15). */
export function outputTool(schema: Schema): AnyTool {
  const { $id = "", ...root } = jsonSchemaOf(schema);
  const { $defs, ...own } = movedRefs(root, String($id).replace(/#$/, "")) as JsonObject;
  const json: JsonObject = {
    type: "object",
    properties: { response: own },
    required: ["response"],
    ...($defs !== undefined && { $defs }),
  };
  const tool = defineTool({
    name: OUTPUT_TOOL,
    description:
      "Give your final structured answer by calling this function once, when you have all you need.",
    input: json,
    execute: () => "Successfully generated response.",
  });
  return {
    ...tool,
    onRestart: "retry",
    ...(isStandardSchema(schema) && { schema: wrapSchema(schema, json) }),
  } as AnyTool;
}

/** Returns `reply.output`: the value, parsed by the schema of the caller. */
export async function parsedOutput(schema: Schema | undefined, value: Json): Promise<unknown> {
  if (schema === undefined || !isStandardSchema(schema)) return value;
  const parsed = await parseStandard(schema, value);
  return "value" in parsed ? parsed.value : value;
}

/** Returns true if the answer of a native model is valid for the schema. */
export async function fitsOutput(schema: Schema, value: Json): Promise<boolean> {
  if (validateInput(jsonSchemaOf(schema), value) !== null) return false;
  return !isStandardSchema(schema) || "value" in (await parseStandard(schema, value));
}
