import { describe, expect, test } from "vitest";
import { memoryStore } from "agentchart/store/memory";
import { createDispatcher, createWorker, inProcessQueue } from "agentchart/worker";

const backend = { queue: inProcessQueue(), store: memoryStore() };
const agents = { desk: () => ({}) };

describe("a worker says what is wrong with its options", () => {
  test.each([
    [undefined, "createWorker: expected an object with `queue` and `store`."],
    [{}, /^createWorker: `queue` must be a WakeQueue/],
    [{ queue: backend.queue, store: "file:x", agents }, /^createWorker: `store` must be a SessionStore/],
    [backend, /^createWorker: `agents` must be an object of functions/],
    [{ ...backend, agents: [] }, /^createWorker: `agents` must be an object of functions/],
    [{ ...backend, agents: { desk: {} } }, /^createWorker: `agents` must be an object of functions/],
    [{ ...backend, agents, concurency: 3 }, "`concurency` is not an option; did you mean `concurrency`?"],
    [{ ...backend, agents, concurrency: "3" }, '`concurrency` is "3"; expected an integer'],
  ])("%#", (options, message) => {
    expect(() => createWorker(options as never)).toThrow(message);
  });

  test("and takes a backend that has more to it", () => {
    expect(() => createWorker({ ...backend, agents, close() {} } as never)).not.toThrow();
  });
});

test("a dispatcher says what is wrong with its options and with a session id", async () => {
  expect(() => createDispatcher({} as never)).toThrow(/^createDispatcher: `queue` must be a WakeQueue/);
  await expect(createDispatcher(backend).dispatch(5 as never, "go", { agent: "desk" })).rejects.toMatchObject(
    {
      code: "config/invalid",
      message: "dispatch: the session id must be a non-empty string of well-formed Unicode.",
    },
  );
});
