// Agents that share parts do not affect each other.
import { describe, expect, test } from "vitest";
import {
  createAgent,
  createToolkit,
  textOf,
  userMsg,
  type Agent,
  type ChatModel,
  type Hook,
  type Msg,
  type ToolContext,
} from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { toolOf } from "../../support/agents.ts";

type Ctx = { readonly user: string };

/** Lets each of two runs go on only when the other has come as far. */
class Meeting {
  #waiting: (() => void) | undefined;

  async meet(): Promise<void> {
    if (this.#waiting) {
      this.#waiting();
      this.#waiting = undefined;
      return;
    }
    await new Promise<void>((resolve) => (this.#waiting = resolve));
  }
}

const lastText = (messages: readonly Msg[]): string =>
  textOf(messages.findLast(({ role }) => role === "user")!);

/** One model object for all: it asks for `work`, and then repeats what it was told first. */
function sharedModel(meeting: Meeting) {
  const requests: { readonly system: string; readonly said: string; readonly tools: readonly string[] }[] =
    [];
  const model: ChatModel = {
    name: "shared",
    async *stream({ messages, tools }) {
      const said = lastText(messages);
      const system = messages[0]!.role === "system" ? textOf(messages[0]!) : "";
      requests.push({ system, said, tools: tools.map(({ name }) => name) });
      await meeting.meet();
      if (messages.at(-1)!.role === "tool") {
        for (const delta of said) {
          yield { type: "text.delta", delta };
          await meeting.meet();
        }
        yield { type: "finish", reason: "stop" };
        return;
      }
      yield { type: "tool.delta", key: 0, id: "c1", name: "work", args: JSON.stringify({ said }) };
      yield { type: "finish", reason: "tool_calls" };
    },
  };
  return { model, of: (said: string) => requests.filter((request) => request.said === said) };
}

test("two agents that run at once on one model, hooks array and toolkit do not affect each other", async () => {
  const meeting = new Meeting();
  const shared = sharedModel(meeting);
  const ran: unknown[] = [];
  const heard: string[] = [];
  const work = toolOf(
    "work",
    async (input, ctx) => {
      ran.push({ ...input, user: (ctx as ToolContext<Ctx>).context.user });
      await meeting.meet();
      return `for ${(ctx as ToolContext<Ctx>).context.user}`;
    },
    { input: { type: "object", properties: { said: {}, tenant: {} } } },
  );
  const hooks: Hook<Ctx>[] = [
    {
      name: "edits",
      tools: [toolOf("extra", () => "ok")],
      preCall: async ({ context, agent, system }) => {
        await meeting.meet();
        heard.push(`${agent} ${context.user}`);
        return { system: `${system} for ${context.user}` };
      },
      preReasoning: async ({ context, system, options }) => {
        await meeting.meet();
        return { system: `${system}!`, append: [], options: { ...options, stop: [context.user] } };
      },
      preActing: async ({ call, context }) => {
        await meeting.meet();
        return { input: { ...call.input, by: context.user } };
      },
    },
  ];
  const toolkit = createToolkit<Ctx>({ tools: [work as never], groups: [{ name: "g" }] });
  const make = (name: string): Agent<Ctx> =>
    createAgent<Ctx>({ name, sysPrompt: name, model: shared.model, hooks, toolkit });
  const [a, b] = [make("a"), make("b")];
  a.toolkit.setPreset("work", { tenant: "A" });
  b.toolkit.setPreset("work", { tenant: "B" });
  a.toolkit.setGroups({ deactivate: ["g"] });
  const [one, two] = await Promise.all([
    a.call("aaaa", { context: { user: "ann" } }),
    b.call("bbbb", { context: { user: "bob" } }),
  ]);

  expect([one.text, two.text]).toEqual(["aaaa", "bbbb"]);
  expect(ran.toSorted((x, y) => JSON.stringify(x).localeCompare(JSON.stringify(y)))).toEqual([
    { said: "aaaa", by: "ann", tenant: "A", user: "ann" },
    { said: "bbbb", by: "bob", tenant: "B", user: "bob" },
  ]);
  expect(heard.toSorted()).toEqual(["a ann", "b bob"]);
  for (const [said, system] of [
    ["aaaa", "a for ann!"],
    ["bbbb", "b for bob!"],
  ] as const) {
    expect(shared.of(said)).toHaveLength(2);
    for (const request of shared.of(said))
      expect(request).toEqual({ said, system, tools: ["work", "extra"] });
  }
  expect([a.toolkit.activeGroups(), b.toolkit.activeGroups()]).toEqual([[], ["g"]]);
  expect([toolkit.names(), toolkit.activeGroups()]).toEqual([["work"], ["g"]]);
  expect(hooks).toHaveLength(1);
});

describe("a later change of one agent does not affect another with the same parts", () => {
  const hooks: Hook[] = [];
  const toolkit = createToolkit({ tools: [toolOf("work", () => "done")] });
  const pair = () => {
    const model = scriptedModel(["1", "2"]);
    const [a, b] = ["a", "b"].map((name) => createAgent({ name, model, hooks, toolkit }));
    return { model, a: a!, b: b! };
  };

  test("a hook that is added to one agent does not affect another with the same hooks", async () => {
    const { model, a, b } = pair();
    a.addHook({
      name: "late",
      tools: [toolOf("extra", () => "ok")],
      preReasoning: () => ({ system: "edited" }),
    });
    await a.call("x");
    await b.call("x");
    expect(model.requests.map(({ messages, tools }) => [messages.length, tools.length])).toEqual([
      [2, 2],
      [1, 1],
    ]);
    expect([hooks, toolkit.names(), b.toolkit.names()]).toEqual([[], ["work"], ["work"]]);
    expect(b.removeHook("late")).toBe(false);
    expect(a.removeHook("late")).toBe(true);
    expect(a.toolkit.names()).toEqual(["work"]);
  });

  test("a tool that one agent adds, removes or presets does not change for another with the same toolkit", async () => {
    const { model, a, b } = pair();
    a.toolkit.setPreset("work", { key: 1 });
    a.toolkit.add(toolOf("more", () => "ok"));
    expect([b.toolkit.names(), toolkit.names()]).toEqual([["work"], ["work"]]);
    a.toolkit.remove("work");
    await b.call("x");
    expect(model.requests[0]!.tools.map(({ name }) => name)).toEqual(["work"]);
  });

  test("a history that two agents were created with grows separately in each", async () => {
    const messages = [userMsg("before")];
    const model = scriptedModel(["1", "2"]);
    const [a, b] = ["a", "b"].map((name) => createAgent({ name, model, messages }));
    await a!.call("x");
    await b!.call("y");
    expect(model.requests[1]!.messages.map(textOf)).toEqual(["before", "y"]);
    expect(messages).toHaveLength(1);
  });
});

test("the context of one call is not that of the next, whose agent falls back to its own", async () => {
  const seen: unknown[] = [];
  const hooks: Hook<Ctx | undefined>[] = [
    { name: "see", preCall: ({ context }) => void seen.push(context?.user) },
  ];
  const model = scriptedModel(["1", "2", "3", "4"]);
  const own = createAgent<Ctx | undefined>({ name: "own", model, hooks, context: { user: "home" } });
  const none = createAgent<Ctx | undefined>({ name: "none", model, hooks });
  for (const agent of [own, none]) {
    await agent.call("x", { context: { user: "guest" } });
    await agent.call("y");
  }
  expect(seen).toEqual(["guest", "home", "guest", undefined]);
});
