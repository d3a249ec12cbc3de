import { isObject } from "../core/base/json.ts";

/** The names of all emulated hosts. */
export const EMULATED_HOSTS = [
  "openai",
  "azure",
  "mistral",
  "deepseek",
  "moonshot",
  "dashscope",
  "groq",
  "xai",
  "anthropic",
  "gemini",
  "vllm",
  "ollama",
  "llama.cpp",
  "lmstudio",
  "openrouter",
] as const;

/** A host whose refusals are emulated. `anthropic` is asked by its Messages API, `gemini` by its own API or the compatible one, `openai`
 *  also by Responses; the others by Chat Completions. */
export type EmulatedHost = (typeof EMULATED_HOSTS)[number];

/** A tool of a request, whatever the API calls its parts. */
export type OfferedTool = {
  readonly name: unknown;
  readonly description: unknown;
  readonly schema: unknown;
};

type Schema = { readonly [keyword: string]: unknown };

const MOST: { readonly [host in EmulatedHost]?: number } = {
  openai: 128,
  azure: 128,
  mistral: 128,
  deepseek: 128,
  moonshot: 128,
  groq: 128,
  xai: 200,
  gemini: 512,
  openrouter: 128,
};

const NAMES: { readonly [host in EmulatedHost]?: RegExp } = {
  moonshot: /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/,
  gemini: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/,
};

/** Returns why a host refuses these tools; undefined if it takes them. */
export function toolsProblem(host: EmulatedHost, tools: readonly OfferedTool[]): string | undefined {
  const most = MOST[host] ?? Number.POSITIVE_INFINITY;
  if (tools.length > most)
    return `Invalid 'tools': array too long. Expected an array with maximum length ${most}, but got an array with length ${tools.length} instead.`;
  const names = new Set<unknown>();
  for (const [index, tool] of tools.entries()) {
    if (names.has(tool.name)) return `tools: Tool names must be unique: ${String(tool.name)}`;
    names.add(tool.name);
    const problem = toolProblem(host, tool);
    if (problem !== undefined) return `tools[${index}] ${String(tool.name)}: ${problem}`;
  }
  return undefined;
}

function toolProblem(host: EmulatedHost, { name, description, schema }: OfferedTool): string | undefined {
  const pattern = NAMES[host] ?? /^[a-zA-Z0-9_-]{1,64}$/;
  if (typeof name !== "string" || !pattern.test(name))
    return `Invalid function name: expected ${String(pattern)}`;
  const isLimited = host === "openai" || host === "azure" || host === "groq" || host === "openrouter";
  if (isLimited && typeof description === "string" && description.length > 1_024)
    return "description: string too long. Expected a string with maximum length 1024";
  // Gemini has no schema for a tool without arguments.
  if (host === "gemini" && schema === undefined) return undefined;
  return topProblem(schema) ?? hostProblem(host, schema as Schema);
}

/** Returns the problem at the top that every host refuses. */
function topProblem(schema: unknown): string | undefined {
  if (!isObject(schema)) return "parameters: expected an object";
  const { type, properties } = schema as Schema;
  if (typeof type !== "string" || type.toLowerCase() !== "object")
    return `schema must be a JSON Schema of 'type: "object"', got 'type: ${JSON.stringify(type)}'`;
  if (!isObject(properties)) return "object schema missing properties";
  const refused = ["oneOf", "anyOf", "allOf", "enum", "not", "$ref"].find((keyword) => keyword in schema);
  return refused === undefined ? undefined : `schema must not have '${refused}' at the top level`;
}

function hostProblem(host: EmulatedHost, schema: Schema): string | undefined {
  if (host === "anthropic") {
    const key = Object.keys(schema["properties"] as object).find(
      (name) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(name),
    );
    if (key !== undefined) return `input_schema.properties: Property keys should match pattern: ${key}`;
  }
  return partProblem({ host, root: schema }, schema, "parameters", 0);
}

type Within = { readonly host: EmulatedHost; readonly root: Schema };

const MAPS = ["properties", "patternProperties", "$defs", "definitions"];
const LISTS = ["anyOf", "oneOf", "allOf", "prefixItems"];

function partProblem(within: Within, part: unknown, at: string, depth: number): string | undefined {
  if (depth > 200) return `${at}: too deep`;
  if (!isObject(part)) return `${at}: ${JSON.stringify(part)} is not of type 'object'`;
  const schema = part as Schema;
  const own = ownProblem(within, schema, at);
  if (own !== undefined) return own;
  for (const keyword of MAPS)
    for (const [name, child] of Object.entries((schema[keyword] ?? {}) as object)) {
      const problem = partProblem(within, child, `${at}.${keyword}.${name}`, depth + 1);
      if (problem !== undefined) return problem;
    }
  for (const keyword of LISTS)
    for (const [index, child] of [(schema[keyword] ?? []) as readonly unknown[]].flat().entries()) {
      const problem = partProblem(within, child, `${at}.${keyword}[${index}]`, depth + 1);
      if (problem !== undefined) return problem;
    }
  return schema["items"] === undefined
    ? undefined
    : partProblem(within, schema["items"], `${at}.items`, depth + 1);
}

function ownProblem({ host, root }: Within, schema: Schema, at: string): string | undefined {
  const { type, items, required, $ref } = schema;
  const types = (Array.isArray(type) ? type : [type]).map((each) => String(each).toLowerCase());
  if (types.includes("array") && items === undefined) return `${at}: array schema missing items`;
  if (
    required !== undefined &&
    !(Array.isArray(required) && required.every((name) => typeof name === "string"))
  )
    return `${at}.required: ${JSON.stringify(required)} is not an array of strings`;
  if (Array.isArray(required) && new Set(required).size < required.length)
    return `${at}.required has non-unique elements`;
  if ($ref !== undefined && !leadsSomewhere($ref, root)) return `${at}: $ref cannot be resolved`;
  if (host === "moonshot") return moonshotProblem(schema, at);
  if (host === "gemini") return geminiProblem(schema, at);
  if (host === "llama.cpp") return grammarProblem(schema, at);
  return undefined;
}

function leadsSomewhere(ref: unknown, root: Schema): boolean {
  if (typeof ref !== "string" || !ref.startsWith("#")) return false;
  let at: unknown = root;
  for (const step of ref.split("/").slice(1))
    at = isObject(at) ? (at as Schema)[step.replaceAll("~1", "/").replaceAll("~0", "~")] : undefined;
  return isObject(at);
}

/** "tools.function.parameters is not a valid moonshot flavored json schema". */
function moonshotProblem(schema: Schema, at: string): string | undefined {
  if ("$ref" in schema) return `At path '${at}': $ref is not supported`;
  const hasUnion = Array.isArray(schema["anyOf"]);
  if (hasUnion && schema["type"] !== undefined)
    return `At path '${at}': when using anyOf, type should be defined in anyOf items instead of the parent schema`;
  if (!hasUnion && schema["type"] === undefined) return `At path '${at}': type is not defined`;
  if (Array.isArray(schema["items"])) return `At path '${at}': items is a list`;
  const other = ["allOf", "oneOf", "if", "not"].find((keyword) => keyword in schema);
  return other === undefined ? undefined : `At path '${at}': ${other} is not supported`;
}

function geminiProblem(schema: Schema, at: string): string | undefined {
  const { items, properties } = schema;
  const values = schema["enum"];
  if (Array.isArray(values) && values.some((value) => typeof value !== "string"))
    return `Invalid value at '${at}.enum' (TYPE_STRING)`;
  if (isObject(items) && Object.keys(items).length === 0) return `${at}.items: missing field.`;
  const unknown = [
    "$ref",
    "$defs",
    "const",
    "oneOf",
    "allOf",
    "not",
    "patternProperties",
    "prefixItems",
  ].find((keyword) => keyword in schema);
  if (unknown !== undefined) return `Unknown name "${unknown}" at '${at}': Cannot find field.`;
  const required = (schema["required"] ?? []) as readonly string[];
  const missing = required.find((name) => !isObject(properties) || !Object.hasOwn(properties, name));
  return missing === undefined ? undefined : `${at}.required: property is not defined: ${missing}`;
}

/** llama.cpp makes a grammar of a schema. */
function grammarProblem(schema: Schema, at: string): string | undefined {
  const { pattern } = schema;
  if (typeof pattern === "string" && !/^\^[^()]*\$$/.test(pattern))
    return `${at}: failed to parse grammar: pattern must start with '^' and end with '$'`;
  const long = ["maxLength", "minLength", "maxItems", "minItems"].find(
    (keyword) => (schema[keyword] as number) > 2_000,
  );
  return long === undefined ? undefined : `${at}: number of repetitions exceeds sane defaults (${long})`;
}
