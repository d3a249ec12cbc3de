import { toolResultsOf } from "agentchart";
import { scriptedModel } from "agentchart/testing";

type Turn = Extract<Parameters<typeof scriptedModel>[0][number], Function>;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The calls that the model makes, one after the other. */
const CALLS = [
  { id: "find", name: "find_order", input: { orderId: "17" } },
  { id: "pay", name: "refund", input: { orderId: "17", cents: 1250 } },
] as const;

/** Answers as a model would that has read the conversation: it finds the order, pays, and says so. */
const answer: Turn = async function* (request) {
  await pause(500);
  const results = request.messages.flatMap((message) => toolResultsOf(message));
  const call = CALLS[results.length];
  if (call) {
    yield { type: "tool.delta", key: call.id, id: call.id, name: call.name, input: call.input };
    yield { type: "finish", reason: "tool_calls" };
    return;
  }
  const isPaid = results.at(-1)?.state === "success";
  const text = isPaid
    ? "I have paid back 12.50 for order 17. The customer will have it in two days."
    : "I have paid nothing back, since that was not allowed. I told the customer why.";
  for (const word of text.split(/(?<= )/u)) {
    await pause(60);
    yield { type: "text.delta", delta: word };
  }
  yield { type: "finish", reason: "stop" };
};

/** A model that needs no key, which reads what it is sent: it can be killed and asked again. */
export const model = scriptedModel(Array.from({ length: 100 }, () => answer));
