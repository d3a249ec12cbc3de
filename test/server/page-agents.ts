import { suspend, type AgentConfig, type ChatModel, type StreamPart } from "agentchart";
import { agentTool } from "agentchart/team";
import type { WorkerAgents } from "agentchart/worker";
import { toolOf } from "../support/agents.ts";
import { scriptModel } from "./script-model.ts";

/** What the tool `pay` was given. */
export const paid: object[] = [];
const pay = toolOf("pay", (input) => `paid ${paid.push(input)}`, { permission: "ask" });
const when = {
  id: "when",
  kind: "form",
  message: "When?",
  schema: { type: "string" },
} as const;
const book = toolOf("book", (_, { resumed }) =>
  resumed
    ? `booked: ${JSON.stringify(resumed.answers)}`
    : suspend("It asks.", { then: "resume", asks: [when] }),
);
let goOn = Promise.withResolvers<void>();

/** Lets the agent `halves` say its other half. */
export const sayOtherHalf = (): void => goOn.resolve();

/** Nothing is paid, and the agent `halves` waits again. */
export function resetAgents(): void {
  paid.length = 0;
  goOn = Promise.withResolvers();
}

/** Says a half, and the other one when it may. */
async function* halves(): AsyncGenerator<StreamPart> {
  yield { type: "thinking.delta", delta: "Hm." };
  yield { type: "text.delta", delta: "First half, " };
  await goOn.promise;
  yield { type: "text.delta", delta: "second half." };
  yield { type: "finish", reason: "stop" };
}
const helper = agentTool({
  agent: { name: "helper", model: scriptModel(halves, "Again.") },
  name: "ask_helper",
});
const callOf = (name: string, id = "c1") => ({ id, name, input: { euros: 7 } });
const agentOf =
  (model: ChatModel, tools: readonly unknown[] = []) =>
  (): Omit<AgentConfig, "store" | "sessionId"> => ({ name: "bot", model, tools: tools as never });
/** Agents that pay after an approval, ask a person, call a tool of the page, let the page declare one, answer in two halves, and have
 *  another one do so. */
export const AGENTS: WorkerAgents = {
  desk: agentOf(
    scriptModel({ text: "Let me pay.", calls: [callOf("pay"), callOf("pay", "c2")] }, "It is paid.", "Bye."),
    [pay],
  ),
  hotel: agentOf(scriptModel({ calls: [callOf("book")] }, "It is booked."), [book]),
  page: agentOf(scriptModel({ calls: [callOf("locate")] }, "You are in Bern."), [toolOf("locate")]),
  painter: () => ({
    name: "bot",
    model: scriptModel(
      { calls: [{ id: "c1", name: "pick", input: { color: "red" } }] },
      "You like red.",
      "Nothing to pick.",
    ),
    tools: [pay],
    toolOptions: { clientTools: ["pick"] },
  }),
  halves: agentOf(scriptModel(halves, "Again.")),
  boss: agentOf(
    scriptModel({ calls: [{ id: "c1", name: "ask_helper", input: { message: "Say it." } }] }, "It is said."),
    [helper],
  ),
};
