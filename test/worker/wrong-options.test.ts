// Wrong options of workers.
import { describe, expect, test } from "vitest";
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
  await expect(createDispatcher(backend).dispatch(5 as never, "go", { agent: "desk" })).rejects.toMatchObject(
    {
      code: "config/invalid",
      message: "dispatch: the session id must be a non-empty string of well-formed Unicode.",
    },
  );
});
