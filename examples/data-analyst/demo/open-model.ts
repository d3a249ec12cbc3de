import type { ChatModel } from "agentchart";
import { openaiModel } from "agentchart/openai";
import { chatCompletionsServer } from "agentchart/testing";
import { planAnswer } from "../planner/planner.ts";
import { openAiSdk } from "./ai-sdk-model.ts";
import type { ModelChoice } from "./choose-model.ts";
import { createTokenCounter } from "./count-tokens.ts";

export type OpenModel = { readonly model: ChatModel; close(): Promise<void> };

/** The stand-in behind a Chat Completions server of its own on this machine, so that everything between the agent and
 *  its model is what it would be with a real one. */
async function openStandIn(pace: number): Promise<OpenModel> {
  const counter = await createTokenCounter();
  const server = await chatCompletionsServer((request) => planAnswer(request), {
    ...(pace > 0 && { pace }),
    countUsage: (request, answer) => counter.usage(request, answer),
    record: false,
  });
  return {
    model: openaiModel({ model: "stand-in", baseURL: server.baseURL }),
    async close() {
      await server.close();
      counter.free();
    },
  };
}

/** The chosen model, ready to be asked. `pace` is that of the stand-in, in tokens a second; 0 is full speed. */
export async function openModel(choice: ModelChoice, pace: number): Promise<OpenModel> {
  if (choice.kind === "standIn") return openStandIn(pace);
  if (choice.kind === "aiSdk") return { model: await openAiSdk(choice), close: async () => {} };
  const { model, baseURL, apiKey } = choice;
  return {
    model: openaiModel({ model, baseURL, ...(apiKey !== undefined && { apiKey }) }),
    close: async () => {},
  };
}
