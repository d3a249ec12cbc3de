// Runs of all kinds, of which tests are made: each with the agent that recorded it, and what people did.
import {
  AgentError,
  assistantMsg,
  createAgent,
  defineTool,
  suspend,
  userMsg,
  type Agent,
  type AgentConfig,
  type SessionStore,
} from "agentchart";
import { agentTool } from "agentchart/team";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import * as z from "zod";

type Execute = (
  input: never,
  ctx: { readonly signal: AbortSignal; readonly resumed: object | undefined },
) => unknown;

/** A kind of runs: what its model says, what its agent has, and what happens. */
type Kind = {
  readonly turns: readonly ScriptedTurn[];
  /** The configuration; `act` returns the function of a tool, which a replay must not call. */
  readonly more?: (act: (execute: Execute) => Execute) => object;
  readonly run: (agent: Agent) => Promise<unknown>;
};

const tool = (name: string, execute: Execute, more: object = {}) =>
  defineTool({ name, description: `${name}.`, input: { type: "object" }, execute, ...more } as never);
const call = (name: string, id: string, input = {}) => ({ name, id, input });
const asks = (...calls: readonly ReturnType<typeof call>[]): ScriptedTurn => ({ calls });
/** The input of a call that goes on with a turn. */
const NOTHING = undefined;
const PAYS = [asks(call("pay", "c", { n: 1 })), "Paid."];
const paying: Kind["more"] = (act) => ({
  tools: [
    tool(
      "pay",
      act(({ n }: { n: number }) => `paid ${n}`),
      { permission: "ask" },
    ),
  ],
});
const decided = (decision: unknown) => async (agent: Agent) => {
  await agent.call("Pay.");
  await agent.decide("c", decision as "approve");
  await agent.call();
};
const output = z.object({ n: z.number() });
const gives = (id: string, n: unknown) => call("generate_response", id, { response: { n } });
/** Waits until it is interrupted, and says that it has begun. */
const waits: Kind = {
  turns: ["Hi.", asks(call("wait", "w")), "Fine.", "Bye."],
  more: (act) => ({
    tools: [
      tool(
        "wait",
        act(
          (_, { signal }) =>
            new Promise((_resolve, fail) => signal.addEventListener("abort", () => fail(new Error("over")))),
        ),
      ),
    ],
  }),
  run: async (agent) => {
    await agent.call("Hi.");
    const begun = new Promise<void>((resolve) =>
      agent.subscribe(({ type }) => type === "tool.start" && resolve()),
    );
    const waiting = agent.call("Wait.");
    await begun;
    agent.interrupt();
    await waiting;
  },
};

export const KINDS: { readonly [kind: string]: Kind } = {
  approved: { turns: PAYS, more: paying, run: decided("approve") },
  denied: { turns: PAYS, more: paying, run: decided({ deny: "It is too much." }) },
  "approved with other arguments": { turns: PAYS, more: paying, run: decided({ edit: { n: 2 } }) },
  "waiting for an approval": { turns: PAYS, more: paying, run: (agent) => agent.call("Pay.") },
  "refused while it waits": {
    turns: PAYS,
    more: paying,
    run: async (agent) => {
      await agent.call("Pay.");
      await agent.call("Never mind.").catch(() => {});
      await agent.decide("c", "approve");
      await agent.call();
    },
  },
  "suspended by its tool, and answered": {
    turns: [asks(call("form", "c")), "Thanks."],
    more: () => ({ tools: [tool("form", () => suspend("Fill the form in."))] }),
    run: decided({ answer: "filled in" }),
  },
  "with a sub-agent": {
    turns: [asks(call("call_clerk", "c", { message: "Look." })), "The clerk has looked."],
    more: (act) => ({
      tools: [
        agentTool({
          agent: {
            name: "clerk",
            model: scriptedModel([asks(call("look", "l")), "It is blue."]),
            tools: [
              tool(
                "look",
                act(() => "blue"),
              ),
            ],
          } as never,
        }),
      ],
    }),
    run: (agent) => agent.call("Ask the clerk."),
  },
  "with a sub-agent that waits": {
    turns: [asks(call("call_clerk", "c", { message: "Pay." })), "The clerk has paid."],
    more: (act) => ({
      tools: [
        agentTool({
          agent: { name: "clerk", model: scriptedModel(PAYS), ...paying(act) } as never,
        }),
      ],
    }),
    run: async (agent) => {
      const { pending } = await agent.call("Ask the clerk.");
      for (const { callId } of pending) await agent.decide(callId, "approve");
      await agent.call();
    },
  },
  "with a tool that asked": {
    turns: [asks(call("book", "c")), "It is booked."],
    more: () => ({
      tools: [
        tool("book", (_, { resumed }) =>
          resumed
            ? "booked"
            : suspend("It is not known yet.", {
                then: "resume",
                asks: [{ id: "nights", kind: "form", message: "How many nights?", schema: z.int() }],
              }),
        ),
      ],
    }),
    run: async (agent) => {
      await agent.call("Book it.");
      await agent.decide("c/nights", { respond: 2 });
      await agent.call();
    },
  },
  "with a structured answer": {
    turns: [asks(gives("g", 5)), "Bye."],
    run: async (agent) => {
      await agent.call("How many?", { output });
      await agent.call("Thanks.");
    },
  },
  "with a structured answer of the provider": {
    turns: ['{"n":5}'],
    more: () => ({
      model: scriptedModel(['{"n":5}'], { capabilities: { structuredOutput: true } as never }),
    }),
    run: (agent) => agent.call("How many?", { output }),
  },
  "with a structured answer after a wrong one": {
    turns: [asks(gives("g", "five")), asks(gives("h", 5))],
    run: (agent) => agent.call("How many?", { output }),
  },
  "with a structured answer and words beside it": {
    turns: [{ text: "I have counted.", thinking: "One, two …", calls: [gives("g", 5)] }],
    run: (agent) => agent.call("How many?", { output }),
  },
  "with a structured answer beside another call": {
    turns: [asks(call("look", "l"), gives("g", 5))],
    more: (act) => ({
      tools: [
        tool(
          "look",
          act(() => "five"),
        ),
      ],
    }),
    run: (agent) => agent.call("How many?", { output }),
  },
  "with a structured answer after an approval": {
    turns: [asks(call("pay", "c", { n: 1 })), asks(gives("g", 1))],
    more: paying,
    run: async (agent) => {
      await agent.call("Pay.", { output });
      await agent.decide("c", "approve");
      await agent.call(NOTHING, { output });
    },
  },
  interrupted: waits,
  "interrupted, and gone on": {
    ...waits,
    run: async (agent) => {
      await waits.run(agent);
      await agent.call("Go on.");
    },
  },
  "with a tool that failed": {
    turns: [asks(call("fail", "c")), "Sorry."],
    more: () => ({ tools: [tool("fail", () => Promise.reject(new Error("It is broken.")))] }),
    run: (agent) => agent.call("Go."),
  },
  "with a model that failed": {
    turns: ["Hi.", { error: new AgentError("model/bad-request", "No.") }],
    run: async (agent) => {
      await agent.call("Hi.");
      await agent.call("Go.").catch(() => {});
    },
  },
  "with a model that failed once": {
    turns: [{ error: new AgentError("model/unavailable", "Later.", { isRetryable: true }) }, "Hi."],
    more: () => ({ modelOptions: { execution: { maxAttempts: 2, initialBackoffMs: 1 } } }),
    run: (agent) => agent.call("Hi."),
  },
  "with a call of no tool": {
    turns: [asks(call("nothing", "c")), "Sorry."],
    run: (agent) => agent.call("Go."),
  },
  "with arguments that are not JSON": {
    turns: [
      [
        { type: "tool.delta", key: 0, id: "c", name: "look", args: "{no" },
        { type: "finish", reason: "tool_calls" },
      ],
      "Sorry.",
    ],
    more: (act) => ({
      tools: [
        tool(
          "look",
          act(() => "blue"),
        ),
      ],
    }),
    run: (agent) => agent.call("Go."),
  },
  "with parallel calls": {
    turns: [asks(call("a", "1"), call("b", "2"), call("a", "3")), "Done."],
    more: (act) => ({
      tools: [
        tool(
          "a",
          act(() => "A"),
        ),
        tool(
          "b",
          act(() => "B"),
        ),
      ],
    }),
    run: (agent) => agent.call("Go."),
  },
  "that observed something": {
    turns: ["Hi.", "Bye."],
    run: async (agent) => {
      await agent.observe([assistantMsg("Welcome!"), userMsg("The door is open.")]);
      await agent.call("Hi.");
      await agent.observe(userMsg("The door is shut."));
      await agent.call("Bye.");
      await agent.observe(assistantMsg("The shop is closed."));
    },
  },
  "of an image, in two messages": {
    turns: ["A cat."],
    run: (agent) =>
      agent.call([
        userMsg("", {
          content: [{ type: "image", source: { type: "base64", mediaType: "image/png", data: "AAAA" } }],
        }),
        userMsg("What is it?"),
      ]),
  },
  "with the tools of a page": {
    turns: [asks(call("where", "c")), "You are in Oslo."],
    more: () => ({ toolOptions: { clientTools: ["where"] } }),
    run: async (agent) => {
      const where = { name: "where", description: "Says where.", inputSchema: { type: "object" } };
      await agent.call("Where am I?", { clientTools: [where] } as never);
      await agent.decide("c", { answer: "Oslo" });
      await agent.call();
    },
  },
  "at its most iterations": {
    turns: [asks(call("a", "1")), asks(call("a", "2")), "That is all."],
    more: (act) => ({
      maxIters: 2,
      tools: [
        tool(
          "a",
          act(() => "A"),
        ),
      ],
    }),
    run: (agent) => agent.call("Go."),
  },
  "handed over": {
    turns: [asks(call("transfer_to_second", "c")), "I am the second."],
    more: () => ({
      personas: { second: { sysPrompt: "Be second." } },
      handoffs: [{ to: "second", description: "Hands over." }],
    }),
    run: (agent) => agent.call("Go."),
  },
};

const nameOf = (kind: string): string => kind.replaceAll(/[ ,]+/gu, "-");

/** The agents of all kinds, as a file of a worker exports them. They have no answers, and tools that fail. */
export function agentsWith(sysPrompt: string): { readonly [name: string]: () => object } {
  const none = () => (): never => {
    throw new Error("A test must not act.");
  };
  return Object.fromEntries(
    Object.entries(KINDS).map(([kind, { more }]) => [
      nameOf(kind),
      () => ({ name: nameOf(kind), sysPrompt, model: scriptedModel([]), ...more?.(none) }),
    ]),
  );
}

/** Makes the run of a kind. Returns the id of its session. */
export async function record(store: SessionStore, kind: string): Promise<string> {
  const { turns, more, run } = KINDS[kind]!;
  const agent = createAgent({
    name: nameOf(kind),
    sysPrompt: "Help.",
    model: scriptedModel(turns),
    modelOptions: { execution: { maxAttempts: 1 } },
    store,
    sessionId: nameOf(kind),
    ...more?.((execute) => execute),
  } as unknown as AgentConfig) as Agent;
  await run(agent);
  await agent.close();
  return nameOf(kind);
}
