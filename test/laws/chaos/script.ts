import { textOf, toolResultsOf, type ChatModel, type Msg } from "agentchart";

/** The inputs of each session, in this order. By its rules `pay` waits for `look`, and nothing leaks once it has looked. */
export const SAID = ["hello", "call pay look slow", "call leak", "call safe slow", "bye"];
/** The calls that they lead to. */
export const CALLED = ["pay", "look", "slow", "leak", "safe", "slow"];

export const valueOf = (callId: string): string => `value of ${callId}`;

/** Returns whether a session has each input and its answer once and in order; else what is wrong. */
export function storyProblem(messages: readonly Msg[]): string | undefined {
  const said = messages.filter(({ role }) => role === "user").map(textOf);
  if (JSON.stringify(said) !== JSON.stringify(SAID)) return `its inputs were ${JSON.stringify(said)}`;
  const answers = messages
    .filter(({ role, content }) => role === "assistant" && content.every(({ type }) => type === "text"))
    .map(textOf);
  if (answers.length !== SAID.length) return `it answered ${JSON.stringify(answers)}`;
  const results = messages.flatMap(toolResultsOf);
  const wrong = results.find((result) => {
    const told = textOf({ content: result.output } as Msg);
    if (result.id.startsWith("leak")) return result.state !== "denied" || !told.includes("breaks the rule");
    return told !== valueOf(result.id);
  });
  return wrong && `call ${wrong.id} gave ${JSON.stringify(wrong.output)}`;
}

/** A model that is a function of the history: `call A B` asks for these tools until they have results, else it echoes. */
export const scriptModel: ChatModel = {
  name: "script",
  async *stream({ messages }, { signal }) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    if (signal.aborted) return;
    const from = messages.findLastIndex(({ role }) => role === "user");
    const hasResults = messages.slice(from).some((message) => toolResultsOf(message).length > 0);
    const [verb, ...names] = textOf(messages[from]!).split(" ");
    if (verb === "call" && !hasResults) {
      for (const [key, name] of names.entries())
        yield { type: "tool.delta", key, id: `${name}-${from}`, name, args: "{}" };
    } else yield { type: "text.delta", delta: `done: ${textOf(messages[from]!)}` };
    yield { type: "finish", reason: "stop" };
  },
};
