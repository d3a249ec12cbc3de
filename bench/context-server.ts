import { chatCompletionsServer } from "agentchart/testing";
import { answerTo, tokensOf, type Window } from "../test/support/long-talk.ts";

// A process of its own, so that its CPU is not counted.
const window = JSON.parse(process.argv[2]!) as Window;
const server = await chatCompletionsServer((request) => answerTo(request, window), {
  record: false,
  countUsage: (request) => ({ prompt_tokens: tokensOf(request, window), completion_tokens: 20 }),
});
process.send!(server.baseURL);
process.on("disconnect", () => void server.close());
