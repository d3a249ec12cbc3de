// A person as an agent: in pipelines, hubs, tools and terminals.
import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, textOf, type Agent, type Msg } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import {
  askUser,
  branch,
  createUserAgent,
  openHub,
  pipeline,
  repeat,
  sequence,
  terminalAsk,
  type UserAsk,
} from "agentchart/team";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";

const agentOf = (name: string, turns: readonly ScriptedTurn[]): Agent =>
  createAgent({ name, model: scriptedModel(turns) });
const linesOf = (messages: readonly Msg[]): string[] =>
  messages.map((message) => `${message.name}: ${textOf(message)}`);
const spokenTo = async (agent: Agent): Promise<string[]> =>
  linesOf((await agent.messages()).filter((message) => textOf(message) !== ""));

describe("a user agent", () => {
  test("asks what to say to what it has heard, and its reply is the user's", async () => {
    const asked: string[][] = [];
    const answers = ["Yes.", "No."];
    const ask: UserAsk = async (messages) => (asked.push(linesOf(messages)), answers.shift()!);
    const user = createUserAgent({ name: "ada", ask });
    const first = await user.call("Now?");
    expect(first).toMatchObject({ text: "Yes.", role: "user", name: "ada", reason: "MODEL_STOP" });
    await user.observe([
      { ...first, role: "assistant", name: "bob", content: [{ type: "text", text: "Hm." }] },
    ]);
    expect((await user.call("And now?")).text).toBe("No.");
    expect(asked).toEqual([["user: Now?"], ["bob: Hm.", "user: And now?"]]);
  });

  test("rests suspended without `ask`, and another process answers", async () => {
    const store = memoryStore();
    const config = { name: "ada", store, sessionId: "s" };
    const user = createUserAgent(config);
    const reply = await user.call("Which room?");
    expect(user.status()).toMatchObject({ phase: "suspended", waitsFor: ["answer"] });
    expect(reply.pending).toMatchObject([{ name: "ask_user", reason: "user: Which room?" }]);
    await user.close();
    const later = createUserAgent(config);
    await later.open();
    const [{ callId } = { callId: "" }] = later.status().pending;
    await expect(later.decide(callId, { respond: 7 })).rejects.toMatchObject({ code: "run/bad-results" });
    await later.decide(callId, { respond: "The blue one." });
    expect((await later.call()).text).toBe("The blue one.");
  });

  test("is asked again by the next process if the first one ended meanwhile", async () => {
    const store = memoryStore();
    const config = { name: "ada", store, sessionId: "s" };
    const { promise: isAsked, resolve } = Promise.withResolvers<void>();
    const first = createUserAgent({ ...config, ask: () => (resolve(), new Promise(() => {})) });
    const call = first.call("Which room?");
    await isAsked;
    expect(first.status().phase).toBe("suspended");
    await first.close();
    await expect(call).rejects.toMatchObject({ code: "run/closed" });
    const second = createUserAgent({
      ...config,
      ask: async (messages) => `${linesOf(messages).join()} Blue.`,
    });
    expect((await second.call()).text).toBe("user: Which room? Blue.");
  });

  test("takes the first answer, also from elsewhere, and stops asking then", async () => {
    let aborted: AbortSignal | undefined;
    const { promise: isAsked, resolve } = Promise.withResolvers<void>();
    const ask: UserAsk = (_, { signal }) => ((aborted = signal), resolve(), new Promise(() => {}));
    const user = createUserAgent({ name: "ada", ask });
    const call = user.call("Which room?");
    await isAsked;
    await user.decide(user.status().pending[0]!.callId, { respond: "From the page." });
    expect((await call).text).toBe("From the page.");
    expect(aborted?.aborted).toBe(true);
  });

  test("gives an answer of the shape that is asked for, and asks again for one that is not", async () => {
    const problems: (string | undefined)[] = [];
    const answers = [{ room: 7 }, { room: "blue" }];
    const ask: UserAsk = async (_, { schema, problem }) => {
      expect(schema).toMatchObject({ properties: { room: { type: "string" } } });
      problems.push(problem);
      return answers.shift()!;
    };
    const user = createUserAgent({ name: "ada", ask });
    const { output } = await user.call("Which room?", { output: z.object({ room: z.string() }) });
    expect(output).toEqual({ room: "blue" });
    expect(problems).toEqual([undefined, expect.stringContaining("room") as string]);
  });

  test("gives up on one who never answers in the shape that is asked for, and the question stays open", async () => {
    let tries = 0;
    const user = createUserAgent({ name: "ada", ask: async () => ++tries });
    await expect(user.call("Which room?")).rejects.toMatchObject({ code: "run/bad-results" });
    expect(tries).toBe(10);
    expect(user.status().phase).toBe("suspended");
  });

  test("replies 'Interrupted by user' to an interrupt while it is asked, and does not go on", async () => {
    const { promise: isAsked, resolve } = Promise.withResolvers<void>();
    const user = createUserAgent({ name: "ada", ask: () => (resolve(), new Promise(() => {})) });
    const bob = agentOf("bob", []);
    await openHub({ participants: [user, bob], announcement: "Talk." });
    const call = user.call();
    await isAsked;
    expect(user.interrupt()).toBe(true);
    expect(await call).toMatchObject({ text: "Interrupted by user", metadata: { interrupted: true } });
    expect(await spokenTo(bob)).toEqual(["host: Talk."]);
  });

  test("is interrupted by the signal and the time-out of its call", async () => {
    const ask: UserAsk = () => new Promise(() => {});
    const controller = new AbortController();
    const user = createUserAgent({
      name: "ada",
      ask: () => (controller.abort(), new Promise(() => {})),
    });
    await expect(user.call("Hm?", { signal: controller.signal })).rejects.toMatchObject({
      code: "run/aborted",
    });
    expect(user.status().phase).toBe("stopped");
    const late = createUserAgent({ name: "ada", ask });
    await expect(late.call("Hm?", { timeoutMs: 50 })).rejects.toMatchObject({ code: "run/timeout" });
    expect(await late.call("Hm?", { timeoutMs: 50, fallbackReply: "Later." })).toMatchObject({
      text: "Later.",
    });
  });

  test("rejects with what `ask` throws, and the question stays open", async () => {
    const user = createUserAgent({ name: "ada", ask: () => Promise.reject(new Error("no terminal")) });
    await expect(user.call("Hm?")).rejects.toThrow("no terminal");
    expect(user.status().phase).toBe("suspended");
  });

  test.each([
    ["a wrong `ask`", { name: "ada", ask: 1 }, "`ask` is not a function"],
    ["a model", { name: "ada", model: scriptedModel([]) }, "no option `model`"],
    ["no name", {}, "`name` is missing"],
    ["a misspelt option", { name: "ada", stor: 1 }, "`stor` is not an option"],
  ])("is refused with %s", (_, options, problem) => {
    expect(() => createUserAgent(options as never)).toThrow(
      expect.objectContaining({
        code: "config/invalid",
        message: expect.stringContaining(problem) as string,
      }),
    );
  });
});

describe("a conversation as a pipeline over a hub", () => {
  test("goes in turn, with a person, and each hears each message once", async () => {
    const ada = agentOf("ada", ["A1", "A2"]);
    const bob = agentOf("bob", ["B1", "B2"]);
    const answers = ["U1", "U2"];
    const user = createUserAgent({ name: "user 1", ask: async () => answers.shift()! });
    await openHub({ participants: [ada, bob, user], announcement: "Talk." });
    const talk = pipeline({ name: "talk", steps: repeat(sequence(ada, bob, user), () => false, 2) });
    expect((await talk.call("Begin.")).text).toBe("U2");
    const all = ["ada: A1", "bob: B1", "user 1: U1", "ada: A2", "bob: B2", "user 1: U2"];
    expect(await spokenTo(ada)).toEqual(["host: Talk.", "user: Begin.", ...all]);
    expect(await spokenTo(bob)).toEqual(["host: Talk.", ...all]);
    expect((await spokenTo(user)).filter((line) => !line.startsWith("user 1"))).toEqual([
      "host: Talk.",
      ...all.filter((line) => !line.startsWith("user 1")),
    ]);
    expect((await bob.messages()).map(({ name, role }) => [name, role])).toContainEqual(["user 1", "user"]);
  });

  test("waits for a person whom nobody asks here, and goes on with the decision about the pipeline", async () => {
    const ada = agentOf("ada", ["A1", "A2"]);
    const user = createUserAgent({ name: "eve" });
    await openHub({ participants: [ada, user], announcement: "Talk." });
    const talk = pipeline({ name: "talk", steps: sequence(ada, user) });
    const [waiting] = (await talk.call("Begin.")).pending;
    expect(waiting).toMatchObject({ reason: "host: Talk.\nada: A1", waitsFor: "answer" });
    await talk.decide(waiting!.callId, { respond: "Good." });
    expect((await talk.call()).text).toBe("Good.");
    expect(await spokenTo(ada)).toContain("eve: Good.");
  });

  test("is led by a moderator until it says that it is enough", async () => {
    const [ada, bob] = [agentOf("ada", ["yes"]), agentOf("bob", ["no"])];
    const moderator = agentOf("moderator", ["bob", "ada", "enough"]);
    await openHub({ participants: [moderator, ada, bob], announcement: "Yes or no?" });
    const next = ([last]: readonly Msg[]): string => textOf(last!);
    const debate = pipeline({
      name: "debate",
      steps: repeat(
        sequence(moderator, branch(next, { ada, bob, enough: sequence() })),
        (said) => next(said) === "enough",
        5,
      ),
    });
    expect((await debate.call("Begin.")).text).toBe("enough");
    expect(await spokenTo(ada)).toEqual([
      ...["host: Yes or no?", "moderator: bob", "bob: no", "moderator: ada", "ada: yes", "moderator: enough"],
    ]);
  });
});

describe("the tool ask_user", () => {
  const askOf = (input: object, turns: readonly ScriptedTurn[] = ["Done."]) => {
    const model = scriptedModel([
      { calls: [{ id: "c1", name: "ask_user", input: input as never }] },
      ...turns,
    ]);
    return { model, agent: createAgent({ name: "desk", model, tools: [askUser()] }) };
  };
  const resultOf = async (agent: Agent) =>
    (await agent.messages()).flatMap(({ content }) => content).find(({ type }) => type === "tool_result");

  test("suspends the turn with a form, and refuses what its schema does not accept", async () => {
    const { agent } = askOf({ question: "How many?", schema: { type: "integer", minimum: 1 } });
    const { pending } = await agent.call("go");
    expect(pending).toMatchObject([{ callId: "c1/answer", reason: "How many?", ask: { kind: "form" } }]);
    await expect(agent.decide("c1/answer", { respond: 0 })).rejects.toMatchObject({
      code: "run/bad-results",
    });
    await agent.decide("c1/answer", { respond: 2 });
    await agent.call();
    expect(await resultOf(agent)).toMatchObject({ state: "success", output: [{ text: "2" }] });
  });

  test.each([
    ["declined", { decline: true }, "Error: The user does not want to answer."],
    ["cancelled", { cancel: true }, "Error: Nobody has answered."],
  ] as const)("says that a question was %s", async (_, decision, text) => {
    const { agent } = askOf({ question: "How many?" });
    await agent.call("go");
    await agent.decide("c1/answer", decision);
    await agent.call();
    expect(await resultOf(agent)).toMatchObject({ state: "error", output: [{ text }] });
  });

  test("keeps an answer that looks like an outcome a text", async () => {
    const { agent } = askOf({ question: "What?", schema: { type: "object" } });
    await agent.call("go");
    await agent.decide("c1/answer", { respond: { suspended: true, output: [] } });
    await agent.call();
    expect(await resultOf(agent)).toMatchObject({
      state: "success",
      output: [{ text: '{"suspended":true,"output":[]}' }],
    });
  });

  test("answers a question with a schema that cannot be used with an error", async () => {
    const { agent } = askOf({ question: "What?", schema: { type: "nonsense" } });
    expect((await agent.call("go")).text).toBe("Done.");
    expect(await resultOf(agent)).toMatchObject({ state: "error" });
  });
});

describe("a person in the terminal", () => {
  const terminal = (isTTY = false) => {
    const [input, output] = [new PassThrough(), Object.assign(new PassThrough(), { isTTY })];
    let shown = "";
    output.on("data", (data: Buffer) => (shown += data.toString()));
    const user = createUserAgent({ name: "ada", ask: terminalAsk({ input, output }) });
    return { input, user, shown: () => shown };
  };

  test("reads what was said and answers with a line; lines typed ahead answer later questions", async () => {
    const { input, user, shown } = terminal();
    input.write("One.\nTwo.\n");
    expect((await user.call("First?")).text).toBe("One.");
    expect((await user.call("Second?")).text).toBe("Two.");
    expect(shown()).toContain("user: First?\n");
    expect(shown()).toContain("user: Second?\n");
  });

  test("asks one question after the other, and one that nobody waits for takes no line", async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const ask = terminalAsk({ input, output });
    const question = (name: string, signal = new AbortController().signal) => ask([], { name, signal });
    const left = new AbortController();
    const first = question("ada");
    const answers = [first, question("bob", left.signal), question("eve")];
    left.abort();
    input.write("One.\nTwo.\n");
    expect(await Promise.all(answers)).toEqual(["One.", undefined, "Two."]);
    expect(await question("ada", left.signal)).toBeUndefined();
    input.write("Three.\n");
    expect(await question("ada")).toBe("Three.");
  });

  test("answers with JSON if a shape is asked for, and is told what is wrong", async () => {
    const { input, user, shown } = terminal();
    input.write('seven\n{"rooms":7}\n');
    const reply = await user.call("How many?", { output: z.object({ rooms: z.int() }) });
    expect(reply.output).toEqual({ rooms: 7 });
    expect(shown()).toContain("Answer with JSON: ");
  });

  test("does not want to answer with Ctrl-C, nor at the end of the input", async () => {
    const { input, user } = terminal(true);
    const call = user.call("Go on?");
    await expect.poll(() => user.status().phase).toBe("suspended");
    await expect.poll(() => input.listenerCount("keypress") + input.listenerCount("data")).toBeGreaterThan(0);
    input.write("\u0003");
    expect((await call).text).toBe("Interrupted by user");
    const again = user.call("And now?");
    input.write("Yes.\r");
    expect((await again).text).toBe("Yes.");
    const piped = terminal();
    piped.input.end();
    expect((await piped.user.call("Go on?")).text).toBe("Interrupted by user");
    expect((await piped.user.call("Go on?")).text).toBe("Interrupted by user");
  });

  test("sees no control characters of what agents say", async () => {
    const { input, user, shown } = terminal();
    input.write("ok\n");
    await user.call("red \u001b[31malert\u0007\u009b2J");
    expect(shown()).toContain("red alert");
    for (const control of ["\u0007", "\u009b", "\u001b[31m"]) expect(shown()).not.toContain(control);
  });
});
