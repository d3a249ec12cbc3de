import * as s from "../../core/base/option-schema.ts";
import { modelSchema } from "../../core/model/generate-schema.ts";
import { toolSchema, permissionSchema } from "../../core/tool/tool-schema.ts";
import type { AnyTool } from "../../core/tool/types.ts";
import type { Handoff, Persona, Permissions } from "./agent-config.ts";

const NAME = /^[\w-]{1,48}$/;

/** The schema of the personas of an agent. */
export const personasSchema = s.lazily(() =>
  s.recordOf(
    s.options<Persona<never>>(
      {
        sysPrompt: s.optional(s.string()),
        tools: s.optional(s.listOf(toolSchema())),
        model: s.optional(modelSchema()),
        permissions: s.optional(permissionsSchema()),
      },
      { what: "a persona, such as { sysPrompt, tools }" },
    ),
  ),
);

/** The schema of the handoffs of an agent. */
export const handoffsSchema = s.lazily(() =>
  s.listOf(
    s.options<Handoff>(
      {
        to: s.nonEmpty(),
        description: s.nonEmpty(),
        from: s.optional(s.listOf(s.nonEmpty())),
        when: s.optional(s.func<NonNullable<Handoff["when"]>>()),
        view: s.optional(s.oneOf("asText", "full", "summary")),
      },
      { what: "a handoff, such as { to, description }" },
    ),
  ),
);

/** The part of a configuration that is about personas. */
export type PersonaOptions = {
  readonly name: string;
  readonly tools?: readonly AnyTool[] | undefined;
  readonly toolkit?: object | undefined;
  readonly personas?: { readonly [name: string]: Persona<never> } | undefined;
  readonly handoffs?: readonly Handoff[] | undefined;
  readonly compaction?: false | object | undefined;
};

function toolProblem({ tools = [], personas = {} }: PersonaOptions): string | undefined {
  const known = new Map(tools.map((tool) => [tool.name, tool]));
  for (const tool of Object.values(personas).flatMap((persona) => persona.tools ?? [])) {
    if ((known.get(tool.name) ?? tool) !== tool)
      return `two different tools are named '${tool.name}'; expected one object, or different names.`;
    known.set(tool.name, tool);
  }
  return undefined;
}

/** Returns the problem with the personas of an agent and their handoffs; undefined if there is no problem. */
export function personaProblem(options: PersonaOptions): string | undefined {
  const { name, toolkit, personas, handoffs, compaction } = options;
  if (!personas && !handoffs) return undefined;
  if (!personas || !handoffs || handoffs.length === 0)
    return "give `personas` together with `handoffs`, at least one.";
  if (toolkit) return "give `tools` instead of `toolkit` to an agent with `personas`.";
  const wrong = Object.keys(personas).find((each) => each === name || !NAME.test(each));
  if (wrong !== undefined)
    return `\`personas\` has the name '${wrong}'; expected up to 48 letters, digits, "_" or "-", and not the name of the agent.`;
  const names = [name, ...Object.keys(personas)];
  for (const { to, from = [] } of handoffs) {
    const unknown = [to, ...from].find((each) => !names.includes(each));
    if (unknown !== undefined)
      return `\`handoffs\` names the persona '${unknown}'; expected one of [${names.join(", ")}].`;
  }
  const summarised = handoffs.find(({ view }) => view === "summary");
  if (summarised && compaction === false)
    return `the handoff to '${summarised.to}' has \`view: "summary"\`, which needs \`compaction\`; expected that it is not false.`;
  const targets = handoffs.map(({ to }) => to);
  const twice = targets.find((to, index) => targets.indexOf(to) !== index);
  if (twice !== undefined) return `\`handoffs\` has two entries to '${twice}'; expected one.`;
  return toolProblem(options);
}

/** The schema of {@link Permissions}. */
export const permissionsSchema = s.lazily(() => {
  const action = permissionSchema();
  const rule = s.options<NonNullable<Permissions["rules"]>[number]>({
    tool: s.nonEmpty(),
    action,
    when: s.optional(s.func()),
    reason: s.optional(s.string()),
    optional: s.optional(s.boolean()),
  });
  return s.options<Permissions>(
    {
      rules: s.optional(s.listOf(rule)),
      otherwise: s.optional(action),
      expiresAfterMs: s.optional(s.positive()),
    },
    { what: "an object such as { rules: […] }" },
  );
});
