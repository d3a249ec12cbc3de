import type { AnyStateMachine } from "xstate";

type Value = string | number | boolean | null | readonly Value[] | { readonly [key: string]: Value };
type Names = { readonly guards: Set<string>; readonly actions: Set<string>; readonly actors: Set<string> };

const LISTS = ["entry", "exit", "actions"];
const HEAD = `import { fromPromise, setup } from "xstate";

// The names of the machine, each with a stand-in. Parameters are plain data.
type Params = { readonly [name: string]: unknown } | undefined;
type Event = { readonly type: string; readonly [field: string]: unknown };
`;

/**
 * Returns the machine as a TypeScript module that needs nothing but `xstate`. It is one `setup({…}).createMachine({…})` with the whole
 * configuration as a literal, and a stand-in for each guard, action and actor. Stately Studio imports it.
 *
 * @example
 * ```ts
 * import { writeFile } from "node:fs/promises";
 * import { agentMachine, chartXState } from "agentchart/machines";
 *
 * await writeFile("agent.machine.ts", chartXState(agentMachine));
 * ```
 */
export function chartXState(machine: AnyStateMachine): string {
  const { context: _, ...config } = JSON.parse(JSON.stringify(machine.config)) as {
    readonly context?: Value;
  } & {
    readonly [key: string]: Value;
  };
  const names: Names = { guards: new Set(), actions: new Set(), actors: new Set() };
  collect(config, names);
  const part = (all: Set<string>, stub: string): string =>
    [...all]
      .toSorted()
      .map((name) => `    ${keyOf(name)}: ${stub},\n`)
      .join("");
  return `${HEAD}
export const machine = setup({
  types: { context: {} as { [name: string]: unknown }, events: {} as Event },
  guards: {
${part(names.guards, "(_, _params: Params) => false")}  },
  actions: {
${part(names.actions, "(_, _params: Params) => {}")}  },
  actors: {
${part(names.actors, "fromPromise<unknown, unknown>(async () => undefined)")}  },
}).createMachine({
  context: {},
${literal(config).split("\n").slice(1, -1).join("\n")}
});
`;
}

/** Finds every name that a configuration refers to. */
function collect(value: Value, names: Names): void {
  if (Array.isArray(value)) for (const each of value as readonly Value[]) collect(each, names);
  else if (typeof value === "object" && value !== null)
    for (const [key, each] of Object.entries(value as { readonly [key: string]: Value })) {
      if (key === "guard") names.guards.add(nameOf(each));
      else if (LISTS.includes(key)) for (const action of [each].flat()) names.actions.add(nameOf(action));
      else if (key === "src") names.actors.add(nameOf(each));
      else collect(each, names);
    }
}

const nameOf = (ref: Value): string =>
  typeof ref === "string" ? ref : String((ref as { readonly type: Value }).type);

const keyOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/u.test(name) ? name : JSON.stringify(name));

/** JSON with the keys of TypeScript. */
const literal = (value: object): string =>
  JSON.stringify(value, null, 2).replaceAll(/^( *)"([A-Za-z_$][\w$]*)":/gmu, "$1$2:");
