import type { ChatModel } from "agentchart";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";

/** A model that plays the turn of its script that the transcript has come to, so that it works in any process. */
export function scriptModel(...turns: readonly ScriptedTurn[]): ChatModel {
  return {
    name: "script",
    stream(request, options) {
      const answered = request.messages.filter(({ role }) => role === "assistant").length;
      return scriptedModel([turns[answered]!]).stream(request, options);
    },
  };
}
