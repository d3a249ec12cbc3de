import { pathToFileURL } from "node:url";
import { configError } from "../../core/base/error.ts";
import { isObject } from "../../core/base/json.ts";
import * as s from "../../core/base/option-schema.ts";
import { check } from "../../core/base/options.ts";
import type { WorkerAgents } from "../../worker/types.ts";
import type { Orders } from "./orders.ts";
import type { CrashScenario } from "./types.ts";

const scenarioSchema = s.lazily(() =>
  s.options<CrashScenario>({
    agent: s.optional(s.nonEmpty()),
    input: s.either(s.nonEmpty(), s.listOf(s.nonEmpty()), "a text, or an array of texts"),
    decide: s.optional(s.func()),
    effects: s.optional(s.func()),
    store: s.optional(s.func()),
    meta: s.optional(s.object()),
  }),
);

type Module = { readonly [name: string]: unknown };
const importModule = (file: string): Promise<Module> => import(pathToFileURL(file).href) as Promise<Module>;
/** Loads what the files of a test export: the function of the agent, and the scenario. Rejects `config/invalid` for what is missing. */
export async function loadScenario(orders: Omit<Orders, "point">): Promise<{
  readonly name: string;
  readonly make: WorkerAgents[string];
  readonly scenario: CrashScenario;
}> {
  const { file, scenarioFile } = orders;
  const scenario = scenarioOf(await importModule(scenarioFile), orders);
  const module = await importModule(file);
  const agents = module["default"] ?? module["agents"];
  if (!isObject(agents) || Object.keys(agents).length === 0)
    throw configError(
      `${file} exports no agents: use "export default { name: (session) => ({ name, model, tools }) }".`,
    );
  const names = Object.keys(agents);
  const name = orders.agent ?? scenario.agent ?? (names.length === 1 ? names[0]! : undefined);
  if (name === undefined)
    throw configError(
      `${file} has several agents, ${names.join(", ")}: say which with \`agent\` of the scenario.`,
    );
  const make: unknown = agents[name];
  if (!Object.hasOwn(agents, name) || typeof make !== "function")
    throw configError(`${file} has no agent '${name}'; it has ${names.join(", ")}.`);
  return { name, make: make as WorkerAgents[string], scenario };
}

function scenarioOf(
  module: Module,
  { scenario: name, input, scenarioFile }: Omit<Orders, "point">,
): CrashScenario {
  const several = module["scenarios"];
  const names = isObject(several) ? Object.keys(several) : [];
  let found: unknown = module["scenario"];
  if (name !== undefined) {
    if (!names.includes(name))
      throw configError(`${scenarioFile} has no scenario '${name}'; it has ${names.join(", ") || "none"}.`);
    found = (several as Module)[name];
  } else if (found === undefined && names.length > 0 && input === undefined) {
    throw configError(`${scenarioFile} has several scenarios, ${names.join(", ")}: say which.`);
  }
  if (found === undefined && input === undefined)
    throw configError(
      `${scenarioFile} exports no scenario: use "export const scenario = { input: "Refund order 17." }", or say what the user says.`,
    );
  const scenario = { ...(found as CrashScenario | undefined), ...(input && { input }) };
  check(scenarioSchema(), scenario as CrashScenario, "scenario");
  return scenario as CrashScenario;
}
