// Histories that are not a valid conversation are refused or mended.
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  AgentError,
  assistantMsg,
  createAgent,
  defineHook,
  toolResultMsg,
  userMsg,
  type ChatModel,
  type Msg,
  type Snapshot,
} from "agentchart";
import { openSession } from "agentchart/session";
import { scriptedModel } from "agentchart/testing";
import { memoryStore } from "../../src/store/memory.ts";
import { historyProblem } from "../support/history.ts";
import { finish, plannedAgent, plannedModel } from "../support/planned.ts";

const FOLDER = `${import.meta.dirname}/../fixtures/sessions`;
const files = readdirSync(FOLDER).filter((file) => file.endsWith(".json"));
const snapshotOf = (file: string) =>
  JSON.parse(readFileSync(`${FOLDER}/${file}`, "utf8")) as { messages: Msg[] };

/** A generator of numbers from 0 up to, but not including, `below`. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** The messages with one or two of them moved or dropped. */
function shuffled(messages: readonly Msg[], seed: number): readonly Msg[] {
  const below = numbersFrom(seed);
  const edited = [...messages];
  for (let edits = 1 + below(2); edits > 0 && edited.length > 1; edits--) {
    const [taken] = edited.splice(below(edited.length), 1);
    if (below(3) > 0) edited.splice(below(edited.length + 1), 0, taken!);
  }
  return edited;
}

/** The planned model, and what a provider would refuse of the messages that it was asked with. */
function checkedModel() {
  const problems: string[] = [];
  const model: ChatModel = {
    ...plannedModel,
    stream: (request, options) => {
      const problem = historyProblem(request.messages);
      if (problem !== undefined) problems.push(problem);
      return plannedModel.stream(request, options);
    },
  };
  return { model, problems };
}

describe("stored messages in another order, or with some missing", () => {
  test.each(files)(
    "I2 %s is refused with session/damaged, or every model call has a valid history",
    async (file) => {
      const golden = snapshotOf(file);
      let [refused, accepted] = [0, 0];
      for (let seed = 0; seed < 40; seed++) {
        const { model, problems } = checkedModel();
        const messages = shuffled(golden.messages, seed);
        try {
          await finish(
            plannedAgent({
              model,
              sessionOptions: { snapshot: { ...golden, messages } as unknown as Snapshot },
            }),
          );
          accepted++;
        } catch (error) {
          expect(AgentError.is(error) && [error.code, error.data?.["message"]], `seed ${seed}`).toEqual([
            "session/damaged",
            expect.any(Number),
          ]);
          refused++;
        }
        expect(problems, `seed ${seed}`).toEqual([]);
      }
      expect(accepted).toBeGreaterThan(0);
      if (golden.messages.length > 3) expect(refused).toBeGreaterThan(0);
    },
  );
});

const ASK = assistantMsg("", {
  content: ["a", "b"].map((id) => ({ type: "tool_use", id, name: "t", input: {} }) as const),
});
const resultOf = (callId: string): Msg => toolResultMsg([{ callId, name: "t", text: callId }]);

test("a session in a store whose results are in the wrong order is refused with the place, and can be read", async () => {
  const store = memoryStore();
  const agent = createAgent({
    name: "a",
    model: scriptedModel([
      {
        calls: [
          { id: "a", name: "t" },
          { id: "b", name: "t" },
        ],
      },
      "done",
    ]),
    store,
    sessionId: "s",
  });
  await agent.call("go");
  await agent.close();
  const damaged = memoryStore();
  const lease = (await damaged.acquire("s", { owner: "o", ttlMs: 1_000 }))!;
  const { checkpoint, position, seq } = (await store.load("s"))!;
  const entries = [];
  for await (const entry of store.read("s")) {
    const { messages = [], from } = entry.data as { messages?: Msg[]; from?: number };
    const turned = { ...entry, data: { from: from!, messages: messages.toReversed() as never } };
    entries.push(entry.type === "messages" && messages.length === 2 ? turned : entry);
  }
  await damaged.append("s", {
    expectedSeq: 0,
    fence: lease.fence,
    entries,
    position,
    checkpoint: checkpoint!,
  });
  await damaged.release(lease);
  const next = createAgent({ name: "a", model: scriptedModel(["on"]), store: damaged, sessionId: "s" });
  await expect(next.open()).rejects.toMatchObject({
    code: "session/damaged",
    message: "Session 's': message 1 must be followed by the results of [a, b], found [b, a].",
    data: { sessionId: "s", message: 1 },
  });
  expect((await (await openSession(damaged, "s")).at()).seq).toBe(seq);
});

describe("a history that an agent is made with", () => {
  test.each([
    ["a result before its call", [userMsg("go"), resultOf("a"), ASK], 1],
    ["a result that nothing asks for", [ASK, resultOf("a"), resultOf("b"), userMsg("?"), resultOf("c")], 4],
  ])("is refused with message/invalid if no turn can mend it: %s", (_, messages, at) => {
    const model = scriptedModel([]);
    expect(() => createAgent({ name: "a", model, messages })).toThrow(
      expect.objectContaining({ code: "message/invalid", data: { message: at } }),
    );
  });

  test("may have calls without results until its first turn, also in a store", async () => {
    const store = memoryStore();
    const { model, problems } = checkedModel();
    const config = { name: "a", store, sessionId: "s", messages: [userMsg("go"), ASK, resultOf("b")] };
    const first = createAgent({ ...config, model: scriptedModel([]) });
    await first.open();
    await first.close();
    const agent = createAgent({ ...config, model });
    await agent.open();
    expect(await agent.messages()).toHaveLength(3);
    await agent.call("on").catch(() => {});
    expect(problems).toEqual([]);
    await agent.close();
  });

  test("stays unchecked, and can be stored, if its calls are not to be closed and an interrupt comes first", async () => {
    const store = memoryStore();
    const config = { name: "a", store, sessionId: "s", turnOptions: { recoverOrphans: false } };
    const model = scriptedModel(["never"]);
    const hook = defineHook({ name: "stop", preCall: () => void first.interrupt() });
    const first = createAgent({ ...config, model, messages: [userMsg("go"), ASK], hooks: [hook] });
    expect((await first.call("on")).reason).toBe("INTERRUPTED");
    await first.close();
    const next = createAgent({ ...config, model });
    await expect(next.call("on")).rejects.toMatchObject({ code: "run/pending" });
    await next.close();
  });
});

describe("a fork with edited messages", () => {
  async function finished() {
    const store = memoryStore();
    const agent = createAgent({
      name: "a",
      model: scriptedModel([
        {
          calls: [
            { id: "a", name: "t" },
            { id: "b", name: "t" },
          ],
        },
        "done",
        "again",
      ]),
      store,
      sessionId: "s",
    });
    await agent.call("go");
    await agent.call("more");
    await agent.close();
    return { store, session: await openSession(store, "s") };
  }

  test("gives the calls of earlier turns that have lost their results one each", async () => {
    const { store, session } = await finished();
    const { sessionId } = await session.fork((await session.at()).seq, {
      edits: (messages) => messages.filter(({ role }) => role !== "tool"),
    });
    const model = scriptedModel(["on"]);
    const agent = createAgent({ name: "a", model, store, sessionId });
    expect((await agent.call("and now?")).text).toBe("on");
    expect(historyProblem(await agent.messages())).toBeUndefined();
    expect((await agent.messages()).filter(({ role }) => role === "tool")).toHaveLength(2);
    await agent.close();
  });

  test("is refused with message/invalid if it has a result without its call", async () => {
    const { session } = await finished();
    const edits = (messages: readonly Msg[]) =>
      messages.filter(({ content }) => content[0]?.type !== "tool_use");
    await expect(session.fork((await session.at()).seq, { edits })).rejects.toMatchObject({
      code: "message/invalid",
      data: { message: 1 },
    });
  });
});
