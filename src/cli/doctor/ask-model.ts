import { createAgent } from "../../agent/create-agent.ts";
import type { ChatModel } from "../../core/model/port.ts";
import { asSentence, errorMessage } from "../error-message.ts";
import { ok, wrong, type Finding } from "./check.ts";

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
