import type { ChatModel } from "agentchart";
import { openaiModel } from "agentchart/openai";
import { chatCompletionsServer } from "agentchart/testing";
import { standInAnswer } from "../stand-in/stand-in.ts";
import type { ModelChoice } from "./choose-model.ts";

export type OpenModel = { readonly model: ChatModel; close(): Promise<void> };

/** Opens the chosen model. The stand-in is behind a Chat Completions server of its own on this machine, so that everything
 *  between the agent and its model is what it would be with a real one. `pace` is that of the stand-in, in tokens a
 *  second; 0 is full speed. */
export async function openModel(choice: ModelChoice, pace: number): Promise<OpenModel> {
  if (choice.kind === "standIn") {
    const server = await chatCompletionsServer((request) => standInAnswer(request), {
      ...(pace > 0 && { pace }),
      record: false,
    });
    return {
      model: openaiModel({ model: "stand-in", baseURL: server.baseURL }),
      close: () => server.close(),
    };
  }
  const { model, baseURL, apiKey } = choice;
  return {
    model: openaiModel({ model, baseURL, ...(apiKey !== undefined && { apiKey }) }),
    close: async () => {},
  };
}
