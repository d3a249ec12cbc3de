// A graph with two branches, one of which waits for a person, is a part of another graph. Does it begin again when it is resumed?
import { Annotation, Command, END, interrupt, MemorySaver, START, StateGraph } from "@langchain/langgraph";

export async function isMended() {
  const ran = [];
  const State = Annotation.Root({ said: Annotation({ reducer: (a, b) => [...a, ...b], default: () => [] }) });
  const says = (name) => async () => {
    ran.push(name);
    return { said: [name] };
  };
  const inner = new StateGraph(State)
    .addNode("first", says("first"))
    .addNode("side", says("side"))
    .addNode("waits", async () => ({ said: [interrupt("May it go on?")] }))
    .addNode("last", says("last"))
    .addEdge(START, "first")
    .addEdge("first", "waits")
    .addEdge("first", "side")
    .addEdge("waits", "last")
    .addEdge("last", END)
    .addEdge("side", END);
  const graph = new StateGraph(State)
    .addNode("inner", inner.compile())
    .addEdge(START, "inner")
    .addEdge("inner", END)
    .compile({ checkpointer: new MemorySaver() });
  const config = { configurable: { thread_id: "order-17" } };
  await graph.invoke({}, config);
  const { said } = await graph.invoke(new Command({ resume: "yes" }), config);
  return ran.join() === "first,side,last" && said.includes("yes");
}
