import { perObject, type JsonObject } from "../base/json.ts";
import type { DialectName, ToolRule } from "./host-rules.ts";
import { HOSTS } from "./hosts.ts";
import type { LeftOutTool, ToolChoice, ToolSpec } from "./port.ts";
import { wireSchema } from "./wire-schema.ts";

/** The form of a tool that a host gets, or the reason for which it gets nothing. */
type Fitted = { readonly spec: ToolSpec } | { readonly reason: string };

/** The form of each tool, for each dialect, since an agent offers the same ones with each request. */
const formsOf = perObject((_: ToolSpec): { [dialect in DialectName]?: Fitted } => ({}));

function fit(spec: ToolSpec, dialect: DialectName): Fitted {
  const { tools, schema: rule } = HOSTS[dialect];
  const { name, description, inputSchema } = spec;
  if (!tools.names.test(name)) return { reason: `its name does not match ${String(tools.names)}` };
  const made = wireSchema(inputSchema, rule);
  if ("problem" in made) return { reason: made.problem };
  const key = rule.keys && keysOf(made.schema).find((each) => !rule.keys!.test(each));
  if (key !== undefined)
    return { reason: `its argument ${JSON.stringify(key)} does not match ${String(rule.keys)}` };
  const text = cut(description, tools);
  const isSame = text === description && made.schema === inputSchema;
  return { spec: isSame ? spec : { name, description: text, inputSchema: made.schema } };
}

const keysOf = ({ properties }: JsonObject): readonly string[] => Object.keys(properties as JsonObject);

/** A description within the limit of its host, without half of a character. */
function cut(text: string, { description: most }: ToolRule): string {
  if (most === undefined || text.length <= most) return text;
  return `${text
    .slice(0, most - 1)
    .toWellFormed()
    .replace(/\uFFFD$/, "")}…`;
}

type Judged = { readonly sent: readonly ToolSpec[]; readonly leftOut: readonly LeftOutTool[] };

function judged(specs: readonly ToolSpec[], dialect: DialectName): Judged {
  const most = maxToolsOf(dialect);
  const sent: ToolSpec[] = [];
  const leftOut: LeftOutTool[] = [];
  const names = new Set<string>();
  for (const spec of specs) {
    const made = (formsOf(spec)[dialect] ??= fit(spec, dialect));
    const reason =
      "reason" in made
        ? made.reason
        : names.has(spec.name)
          ? "another tool has its name"
          : sent.length >= most
            ? `it is one of more than ${most} tools`
            : undefined;
    names.add(spec.name);
    if (reason === undefined && "spec" in made) sent.push(made.spec);
    else
      leftOut.push({
        name: spec.name,
        reason: `Hosts with the rules of "${dialect}" refuse a request with it: ${reason}.`,
      });
  }
  return { sent, leftOut };
}

const listsOf = perObject((_: readonly ToolSpec[]): { [dialect in DialectName]?: Judged } => ({}));

const judgedList = (specs: readonly ToolSpec[], dialect: DialectName): Judged =>
  (listsOf(specs)[dialect] ??= judged(specs, dialect));

/**
 * Returns tools as a host takes them: descriptions cut, schemas in a form that it takes, without those of which it would refuse the
 * request. The tool itself still checks its arguments with its own schema. Lists and tools are cached, so do not change them.
 */
export function wireToolsOf(specs: readonly ToolSpec[], dialect: DialectName): readonly ToolSpec[] {
  return specs.length === 0 ? specs : judgedList(specs, dialect).sent;
}

/** The most tools of a request; `Infinity` if no limit is known. */
export function maxToolsOf(dialect: DialectName): number {
  return HOSTS[dialect].tools.most ?? Number.POSITIVE_INFINITY;
}

/** Returns the tools that a host would refuse the request for. */
export function leftOutOf(specs: readonly ToolSpec[], dialect: DialectName): readonly LeftOutTool[] {
  return specs.length === 0 ? [] : judgedList(specs, dialect).leftOut;
}

/** Returns the tool choice as a host takes it; undefined if there is none, or no tool that it names. */
export function wireChoice(
  choice: ToolChoice | undefined,
  sent: readonly ToolSpec[],
  dialect: DialectName,
): ToolChoice | undefined {
  if (choice === undefined || sent.length === 0) return undefined;
  if (typeof choice === "string") return choice;
  if (!sent.some(({ name }) => name === choice.name)) return undefined;
  return HOSTS[dialect].tools.hasNamedChoice ? choice : "required";
}
