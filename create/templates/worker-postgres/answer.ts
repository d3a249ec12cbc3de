import { textOf } from "agentchart";
import type { Dispatcher } from "agentchart/worker";

/** Begins a session with a question, and returns the last words of the turn, whichever worker drives it. */
export async function answerOf(dispatcher: Dispatcher, sessionId: string, question: string): Promise<string> {
  let text = "";
  const ended = (async () => {
    for await (const event of dispatcher.subscribe(sessionId)) {
      if (event.type === "message" && event.message.role === "assistant") text = textOf(event.message);
      if (event.type === "turn.end") return text;
    }
    return text;
  })();
  await dispatcher.dispatch(sessionId, question, { agent: "desk" });
  return ended;
}
