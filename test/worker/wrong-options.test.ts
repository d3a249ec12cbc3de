// Wrong options of workers.
import { describe, expect, test } from "vitest";
import { userMsg } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { createDispatcher, createWorker, inProcessQueue } from "agentchart/worker";

const backend = { queue: inProcessQueue(), store: memoryStore() };
const agents = { desk: () => ({}) };

describe("a worker says what is wrong with its options", () => {
  test.each([
    [
      undefined,
      "createWorker: The argument is missing; expected an object with `queue`, `store` and `agents`.",
    ],
    [{}, /^createWorker: `queue` is missing; expected a WakeQueue/],
    [
      { queue: backend.queue, store: "file:x", agents },
      /^createWorker: `store` is a string; expected a SessionStore/,
    ],
    [backend, /^createWorker: `agents` is missing; expected an object of functions/],
    [{ ...backend, agents: [] }, /^createWorker: `agents` is an array; expected an object of functions/],
    [{ ...backend, agents: { desk: {} } }, /^createWorker: `agents.desk` is an object; expected a function/],
    [{ ...backend, agents, concurency: 3 }, "`concurency` is not an option; did you mean `concurrency`?"],
    [{ ...backend, agents, concurrency: "3" }, '`concurrency` is "3"; expected an integer'],
  ])("%#", (options, message) => {
    expect(() => createWorker(options as never)).toThrow(message);
  });

  test("accepts a backend with other properties", () => {
    expect(() => createWorker({ ...backend, agents, close() {} } as never)).not.toThrow();
  });
});

test("a dispatcher says what is wrong with its options and with a session id", async () => {
  expect(() => createDispatcher({} as never)).toThrow(
    /^createDispatcher: `queue` is missing; expected a WakeQueue/,
  );
  const dispatcher = createDispatcher(backend);
  const asked = {
    dispatch: (id: string) => dispatcher.dispatch(id, "go", { agent: "desk" }),
    decide: (id: string) => dispatcher.decide(id, "c", "approve"),
    interrupt: (id: string) => dispatcher.interrupt(id),
    steer: (id: string) => dispatcher.steer(id, "faster"),
    cancel: (id: string) => dispatcher.cancel(id),
    extendBudget: (id: string) => dispatcher.extendBudget(id, { modelCalls: 1 }),
    setSlot: (id: string) => dispatcher.setSlot(id, "a", 1),
    wake: (id: string) => dispatcher.wake(id),
    compact: (id: string) => dispatcher.compact(id),
  };
  for (const [name, ask] of Object.entries(asked))
    for (const id of [5, undefined, "", "\ud800"] as string[])
      await expect(ask(id)).rejects.toMatchObject({
        code: "config/invalid",
        message: `${name}: the session id must be a non-empty string of well-formed Unicode.`,
      });
});

test("what is said into a turn is one message, as in an agent", async () => {
  const dispatcher = createDispatcher(backend);
  for (const said of [[], ["a", "b"].map((text) => userMsg(text)), null] as never[])
    for (const method of ["steer", "interrupt"] as const)
      await expect(dispatcher[method]("s", said)).rejects.toMatchObject({ code: "message/invalid" });
});
