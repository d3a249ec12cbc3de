import { AgentError } from "../../core/base/error.ts";
import type { ChatModel } from "../../core/model/port.ts";
import type { AnyAgentConfig } from "./agent-config.ts";

type Models = Pick<AnyAgentConfig, "model" | "modelOptions" | "compaction" | "personas" | "budget">;

/** Returns the models of a configuration, each once. */
export function modelsOf({
  model,
  modelOptions = {},
  compaction,
  personas = {},
}: Models): readonly ChatModel[] {
  const others = Object.values(personas).map((persona) => persona.model);
  const ofSummaries = compaction ? compaction.model : undefined;
  const all = [model, modelOptions.fallbackModel, ofSummaries, ...others];
  return [...new Set(all.filter((each) => each !== undefined))];
}

function bad(problem: string): AgentError {
  return new AgentError("session/bad-change", problem);
}

/** Returns the model with this name: one of the configuration, or another one of the server of `model`. Throws `session/bad-change` if
 *  there is none, and for a model without a price where the cost is limited. */
export function findModel(config: Models, name: string): ChatModel {
  const known = modelsOf(config);
  const found = known.find((each) => each.name === name) ?? config.model.withName?.(name);
  if (!found) {
    const names = known.map((each) => `'${each.name}'`).join(", ");
    throw bad(`The agent has no model '${name}', and cannot make one: it has ${names}.`);
  }
  const { budget, modelOptions: { prices = {} } = {} } = config;
  const isFree = found.capabilities?.usesTokens === false;
  if (budget?.cost !== undefined && !isFree && !Object.hasOwn(prices, found.name))
    throw bad(`\`budget.cost\` needs a price of the model '${found.name}' in \`modelOptions.prices\`.`);
  return found;
}

const made = new WeakMap<ChatModel, Map<string, ChatModel>>();

/** As {@link findModel}, the same model each time; where it throws, a model that fails with that error. */
export function modelNamed(config: Models, name: string): ChatModel {
  const known = made.get(config.model) ?? new Map<string, ChatModel>();
  made.set(config.model, known);
  let model = known.get(name);
  if (!model) known.set(name, (model = found(config, name)));
  return model;
}

function found(config: Models, name: string): ChatModel {
  try {
    return findModel(config, name);
  } catch (error) {
    return {
      name,
      stream: () => {
        throw error;
      },
    };
  }
}
