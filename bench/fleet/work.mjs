// The work, the same for all: a question, one tool call, the answer. The model answers from memory.
const RESULT = JSON.stringify({
  order: 1001,
  state: "shipped",
  carrier: "DHL",
  items: [{ sku: "A-17", n: 2 }],
  note: "left the warehouse in the morning",
});

export const SYSTEM = "You are the order desk. Look every order up before you answer.";
export const QUESTION = (id) => `What is the state of order ${id}, and when will it arrive? Please be brief.`;
export const ANSWER = "The order has been shipped and will arrive on the first of December, in one parcel.";
export const TOOL = { name: "lookup", description: "Looks an order up.", args: { order: 1001 } };
/** A part of the result of the tool. */
export const FOUND = "left the warehouse";

/** The hooks of a worker process, which tells its parent what it does. */
export function hooks() {
  const say = (type, id) => process.send({ type, id, at: performance.timeOrigin + performance.now() });
  return {
    say,
    asked: (id) => say("asked", id),
    tool: () => RESULT,
    ended: (id) => say("ended", id),
  };
}
