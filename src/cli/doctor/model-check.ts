import { openaiModel } from "../../core/model/openai/openai-model.ts";
import { aiSdkProviderModel } from "../ai-sdk-provider.ts";
import { chooseModel } from "../choose-model.ts";
import { errorMessage, asSentence } from "../error-message.ts";
import { UsageError } from "../usage-error.ts";
import { connectionProblem, missing, ok, unasked, wrong, type Check, type Finding } from "./check.ts";
import { createAgent } from "../../agent/create-agent.ts";
import type { ChatModel } from "../../core/model/port.ts";

/** Looks for the model that `run` would ask: its key, and whether its server takes a connection, through which nothing is sent. */
export const modelCheck: Check = {
  name: "model",
  async run({ flags, env }, signal) {
    const isNamed = flags.model !== undefined || flags.baseUrl !== undefined;
    if (flags.agents !== undefined && !isNamed) return [];
    try {
      const provided = await aiSdkProviderModel(flags, env);
      if (provided)
        return [
          flags.online
            ? await askModel(provided, "AI SDK", signal)
            : unasked("model", `${provided.name} is installed and has a key: --online asks it`),
        ];
      const chosen = chooseModel(flags, env);
      const { host } = new URL(chosen.baseURL);
      const model = openaiModel(chosen); // refuses what cannot be a key
      if (flags.online) return [await askModel(model, host, signal)];
      const key = chosen.apiKey === undefined ? "without a key" : "with a key that is set";
      return [await serverFinding(chosen.baseURL, `${chosen.model} at ${host}, ${key}`, signal)];
    } catch (thrown) {
      if (thrown instanceof UsageError && isNamed) throw thrown; // else the environment is wrong
      return [missing("model", errorMessage(thrown))];
    }
  },
};

async function serverFinding(baseURL: string, model: string, signal: AbortSignal): Promise<Finding> {
  const problem = await connectionProblem(baseURL, signal);
  return problem === undefined
    ? ok("model", `${model}: the server takes connections; --online asks the model`)
    : wrong("model", `${model}: no connection (${problem}); the server is set with --base-url`);
}

/** Asks a model for one word, once. */
export async function askModel(model: ChatModel, which: string, signal: AbortSignal): Promise<Finding> {
  const agent = createAgent({ name: "doctor", model, modelOptions: { execution: { maxAttempts: 1 } } });
  try {
    await agent.call("Answer with the word OK.", { signal });
    return ok("model", `${model.name} (${which}) has answered`);
  } catch (thrown) {
    return wrong("model", `${model.name} (${which}): ${asSentence(errorMessage(thrown))}`);
  } finally {
    await agent.close();
  }
}
