// npx node --conditions=agentchart-source examples/stately-inspect.ts
// Passes an agent's inspection events to Stately's inspector: `inspect` accepts any inspection observer of XState 5. The chart has
// its guards and decisions by name, and the context is made readable: a transcript is a handle that JSON shows as its length.
// `send` receives the events; here it writes them to stdout, one JSON line each, and sends nothing over the network.
import { createInspector } from "@statelyai/inspect";
import { createAgent, defineTool } from "agentchart";
import type { AgentContext } from "agentchart/machines";
import { scriptedModel } from "agentchart/testing";
import type { InspectionEvent } from "xstate";
import { z } from "zod";

const short = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text);
/** What a person reads of a session: its newest messages, and where in the turn it is. */
function readable(context: unknown): unknown {
  const { transcript, progress, calls, outcome } = (context ?? {}) as Partial<AgentContext>;
  if (!transcript) return {};
  const messages = transcript.slice(-20).map(({ role, content }) => {
    const blocks = content.map((block) => (block.type === "text" ? block.text : JSON.stringify(block)));
    return `${role}: ${short(blocks.join(" "))}`;
  });
  const { turn, iteration } = progress!;
  const open = calls!.map(({ call, status }) => `${call.name}: ${status}`);
  return { messages, turn, iteration, calls: open, reason: outcome?.reason ?? null };
}

// Stately's package looks at an event later, when its JSON has lost the messages and the time: so both are taken here, at once.
const times: string[] = [];
const inspector = createInspector(
  { send: (event) => console.log(JSON.stringify({ ...event, createdAt: times.shift() })) },
  { serializationDepthLimit: 30 }, // the guards of inner states lie deep in the configuration
);
type Seen = { readonly context?: unknown; readonly input?: unknown; readonly output?: unknown };
const seen = ({ input: _, output: __, ...snapshot }: Seen) => ({
  ...snapshot,
  ...("context" in snapshot && { context: readable(snapshot.context) }),
});
function inspect(event: InspectionEvent): void {
  if (!["@xstate.actor", "@xstate.event", "@xstate.snapshot"].includes(event.type)) return;
  times.push(String(Date.now()));
  const { actorRef } = event;
  // a new actor has no snapshot yet
  const ref = Object.assign(Object.create(actorRef), { getSnapshot: () => seen(actorRef.getSnapshot()) });
  const said = "event" in event && { event: { type: event.event.type } }; // the messages say what came of it
  const snapshot = "snapshot" in event && { snapshot: seen(event.snapshot) };
  inspector.inspect.next!({ ...event, ...said, ...snapshot, actorRef: ref } as never);
}

const clock = defineTool({
  name: "clock",
  description: "Returns the time of day.",
  input: z.object({}),
  execute: () => "12:00",
});
const model = scriptedModel([{ calls: [{ name: "clock" }] }, "It is noon."]);
const agent = createAgent({ name: "inspected", model, tools: [clock], inspect });
const { text } = await agent.call("What time is it?");
console.error(text);
