import { AgentError } from "../../core/base/error.ts";
import type { ChatModel } from "../../core/model/port.ts";
import type { AnyAgentConfig } from "./agent-config.ts";
import { sizeOfText, sizeOfTools } from "../../core/message/transcript.ts";
import { knownWindow } from "../../core/model/request.ts";
import type { CompactionSettings } from "../../../machines/agent/settings.ts";

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

const RESERVE = 20_000;
const LEAST_RESERVE = 4_000;
const KEEP_RECENT = 20_000;
const PROTECT = 40_000;
const MINIMUM = 20_000;
/** The size that clearing aims at where the window is unknown. */
const TARGET = 60_000;

/** A bound of the configuration, else the default, which is at most a share of the window. */
function boundOf(given: number | undefined, normal: number, window: number | null, share: number): number {
  return given ?? (window === null ? normal : Math.min(normal, Math.floor(window * share)));
}

/** Returns the part that is reserved for the answer: a larger share of a small window, because answers are not shorter there. */
function reserveOf(given: number | undefined, window: number | null): number {
  return Math.max(boundOf(given, RESERVE, window, 1 / 8), boundOf(given, LEAST_RESERVE, window, 1 / 5));
}

/** Returns the context window of the agent's model, in tokens; null if it is unknown. */
function windowOf({ compaction, model }: AnyAgentConfig): number | null {
  const { contextTokens } = compaction === false ? {} : (compaction ?? {});
  return contextTokens ?? model.capabilities?.contextTokens ?? knownWindow(model.name) ?? null;
}

/** Throws `config/invalid` if the system prompt and the tools alone do not fit. */
function checkRoom({ sysPrompt = "", tools = [] }: AnyAgentConfig, window: number, reserve: number): void {
  const system = Math.round(sizeOfText(sysPrompt));
  const specs = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  const all = sizeOfTools(specs);
  if (system + all + reserve < window) return;
  throw new AgentError(
    "config/invalid",
    `createAgent: the context window of ${window} tokens is too small: the system prompt has about ${system}, the tools have about ${all}, and ${reserve} are kept for the answer.`,
  );
}

/** Returns how prompts are made shorter, as the chart needs it; null if they are not. Throws `config/invalid`. */
export function compactionSettings(config: AnyAgentConfig): CompactionSettings | null {
  const { compaction } = config;
  if (compaction === false) return null;
  const { auto = true, summarise = "fit", maxFailures = 3, clear = {} } = compaction ?? {};
  const window = windowOf(config);
  const reserve = reserveOf(compaction?.reserveTokens, window);
  if (window !== null) checkRoom(config, window, reserve);
  return {
    auto,
    window,
    reserve,
    target: compaction?.targetTokens ?? (window === null ? TARGET : Math.floor(window / 2)),
    keepRecent: boundOf(compaction?.keepRecentTokens, KEEP_RECENT, window, 1 / 4),
    clear:
      clear === false
        ? null
        : {
            protect: boundOf(clear.protectTokens, PROTECT, window, 1 / 16),
            minimum: boundOf(clear.minimumTokens, MINIMUM, window, 1 / 10),
          },
    summarise,
    maxFailures,
    isSeparate: compaction?.model !== undefined,
  };
}
