// Classes of agents: their hooks and their common options.
import { describe, expect, test } from "vitest";
import { createAgent, createToolkit, defineAgent, type Hook } from "agentchart";
import { agentTool } from "agentchart/team";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { toolOf } from "../../support/agents.ts";

/** A hook that notes that it ran. */
const noting = (name: string, ran: string[], priority?: number): Hook => ({
  name,
  ...(priority !== undefined && { priority }),
  preCall: () => void ran.push(name),
});

describe("the hooks of a class of agents", () => {
  test("run before those of each of its agents, whatever their priorities are", async () => {
    const ran: string[] = [];
    const clerk = defineAgent({ hooks: [noting("late", ran, 900), noting("early", ran, 1)] });
    for (const name of ["ada", "bob"]) {
      const own = [noting(`${name} first`, ran, Number.NEGATIVE_INFINITY), noting(`${name} last`, ran)];
      const agent = createAgent(clerk({ name, model: scriptedModel(["ok"]), hooks: own }));
      agent.addHook(noting(`${name} added`, ran, -5));
      await agent.call("go");
    }
    expect(ran).toEqual([
      ...["early", "late", "ada first", "ada added", "ada last"],
      ...["early", "late", "bob first", "bob added", "bob last"],
    ]);
  });

  test("keep their object, so that one may be an instance with private fields", async () => {
    class Counter {
      readonly name = "counter";
      #turns = 0;

      get turns(): number {
        return this.#turns;
      }

      preCall(): void {
        this.#turns++;
      }
    }
    const counter = new Counter();
    const clerk = defineAgent({ model: scriptedModel(["one", "two"]), hooks: [counter] });
    for (const name of ["ada", "bob"]) await createAgent(clerk({ name })).call("go");
    expect(counter.turns).toBe(2);
  });

  test("are removed from one agent and stay with the others", async () => {
    const ran: string[] = [];
    const clerk = defineAgent({ model: scriptedModel(["one", "two"]), hooks: [noting("shared", ran)] });
    const [ada, bob] = [createAgent(clerk({ name: "ada" })), createAgent(clerk({ name: "bob" }))];
    expect(ada.removeHook("shared")).toBe(true);
    await ada.call("go");
    expect(ran).toEqual([]);
    await bob.call("go");
    expect(ran).toEqual(["shared"]);
  });

  test("run first in a class of a class, and in an agent inside of a call", async () => {
    const ran: string[] = [];
    const staff = defineAgent({ hooks: [noting("staff", ran)] });
    const clerk = defineAgent(
      staff({ name: "clerk", model: scriptedModel(["ok"]), hooks: [noting("clerk", ran)] }),
    );
    const inner = agentTool({ agent: clerk({ hooks: [noting("own", ran, -1)] }), name: "ask" });
    const calls = [{ name: "ask", input: { message: "Hi" } }];
    const desk = createAgent({ name: "desk", model: scriptedModel([{ calls }, "Done."]), tools: [inner] });
    await desk.call("go");
    expect(ran).toEqual(["staff", "clerk", "own"]);
  });
});

describe("a hook that is added to a class of agents", () => {
  const classOf = (turns: number) =>
    defineAgent({ model: scriptedModel(Array.from({ length: turns }, () => "ok")) });

  test("reaches those that live, those that are made later, and configurations that were made before", async () => {
    const ran: string[] = [];
    const clerk = classOf(4);
    const early = clerk({ name: "early", hooks: [noting("own", ran, -1)] });
    const living = createAgent(clerk({ name: "living", hooks: [noting("own", ran, -1)] }));
    clerk.addHook(noting("added", ran, 900));
    for (const agent of [living, createAgent(early), createAgent(clerk({ name: "later" }))])
      await agent.call("go");
    expect(ran).toEqual(["added", "own", "added", "own", "added"]);
    expect(clerk.removeHook("added")).toBe(true);
    await living.call("go");
    expect(ran.slice(5)).toEqual(["own"]);
    expect(clerk.removeHook("added")).toBe(false);
  });

  test("reaches the agents of classes below it, and comes once", async () => {
    const ran: string[] = [];
    const staff = defineAgent({ hooks: [noting("first", ran)] });
    const clerk = defineAgent(staff({ name: "clerk", model: scriptedModel(["ok", "ok"]) }));
    const ada = createAgent(clerk({ name: "ada" }));
    const added = noting("added", ran);
    for (const each of [staff, staff, clerk]) each.addHook(added as never);
    await ada.call("go");
    expect(ran).toEqual(["first", "added"]);
    expect(clerk.removeHook("added")).toBe(false);
    expect(staff.removeHook("added")).toBe(true);
    await ada.call("go");
    expect(ran).toEqual(["first", "added", "first"]);
  });

  test("stays after the agent was passive, brings its tools, and takes no hook of the agent with it", async () => {
    const ran: string[] = [];
    const clerk = classOf(2);
    const ada = createAgent(
      clerk({ name: "ada", store: memoryStore(), hooks: [noting("audit", ran), noting("x", ran)] }),
    );
    await ada.call("one");
    await ada.passivate();
    clerk.addHook({ ...noting("audit", ran), tools: [toolOf("stamp", () => "ok")] });
    await ada.passivate();
    expect(ada.toolkit.names()).toEqual(["stamp"]);
    await ada.call("two");
    expect(ran).toEqual(["audit", "x", "audit", "audit", "x"]);
    clerk.removeHook("audit");
    expect(ada.toolkit.names()).toEqual([]);
    expect(ada.removeHook("audit")).toBe(true);
    await ada.close();
  });

  test("reaches none of them if one cannot have its tools, and is refused if it is none", async () => {
    const ran: string[] = [];
    const clerk = classOf(2);
    const ada = createAgent(clerk({ name: "ada" }));
    const bob = createAgent(clerk({ name: "bob", tools: [toolOf("stamp", () => "mine")] }));
    const closed = createAgent(clerk({ name: "closed" }));
    await closed.close();
    const stamping = { ...noting("audit", ran), tools: [toolOf("stamp", () => "ok")] };
    expect(() => clerk.addHook(stamping)).toThrow("stamp");
    expect([ada, bob].map(({ toolkit }) => toolkit.names())).toEqual([[], ["stamp"]]);
    await ada.call("go");
    expect(ran).toEqual([]);
    const own = createAgent(clerk({ name: "own", hooks: [stamping] }));
    await own.call("go");
    expect(ran).toEqual(["audit"]);
    expect(() => clerk.addHook({ name: "x", preCal: () => {} } as never)).toThrow("did you mean `preCall`?");
  });
});

describe("the other options of a class of agents", () => {
  test("hold for an agent that has none of its own", async () => {
    const clerk = defineAgent({ model: scriptedModel(["ok", "ok"]), sysPrompt: "Be brief.", maxIters: 3 });
    const model = scriptedModel(["ok"]);
    expect(clerk({ name: "ada" })).toMatchObject({ sysPrompt: "Be brief.", maxIters: 3 });
    expect(clerk({ name: "bob", model, maxIters: 4 })).toMatchObject({
      model,
      maxIters: 4,
      sysPrompt: "Be brief.",
    });
  });

  test("make room for what cannot be there together with one of the agent", () => {
    const model = scriptedModel([]);
    const clerk = defineAgent({ model, tools: [toolOf("a", () => "a")], store: memoryStore() });
    const toolkit = createToolkit({ tools: [toolOf("b", () => "b")] });
    const { snapshot } = { snapshot: createAgent({ name: "ada", model }).snapshot() };
    expect(
      createAgent(clerk({ name: "ada", toolkit, sessionOptions: { snapshot } })).toolkit.names(),
    ).toEqual(["b"]);
    expect(createAgent(clerk({ name: "ada" })).toolkit.names()).toEqual(["a"]);
  });

  test.each([
    ["nothing", undefined, "defineAgent: expected options"],
    [
      "an option of a wrong type",
      { maxIters: 0 },
      "defineAgent: `maxIters` is 0; expected an integer of at least 1.",
    ],
    [
      "a misspelt option",
      { maxIter: 3 },
      "defineAgent: `maxIter` is not an option; did you mean `maxIters`?",
    ],
    ["a hook without a name", { hooks: [{}] }, "defineAgent: `hooks[0].name` is missing; expected a string."],
  ])("are refused when the class is defined: %s", (_, defaults, message) => {
    expect(() => defineAgent(defaults as never)).toThrow(
      expect.objectContaining({
        code: "config/invalid",
        message: expect.stringContaining(message) as string,
      }),
    );
  });

  test("are refused when an agent has wrong ones", () => {
    const clerk = defineAgent({ model: scriptedModel([]) });
    expect(() => createAgent(clerk({ name: "" }))).toThrow(
      expect.objectContaining({ code: "config/invalid" }),
    );
    expect(() => clerk(undefined as never)).toThrow(expect.objectContaining({ code: "config/invalid" }));
    // @ts-expect-error the name is missing
    expect(() => createAgent(clerk({}))).toThrow("`name` is missing");
  });
});
