// Other frameworks in the benchmark send the requests that a task asks for.
import { expect, test } from "vitest";
import { serverOf, TASKS } from "../../bench/peers/work.mjs";

type Contender = {
  start: (options: { readonly fetch: typeof fetch; readonly rounds: number }) => () => Promise<string>;
};

const contender = async (name: string): Promise<Contender> =>
  (await import(`../../bench/peers/contenders/${name}.mjs`)) as Contender;

const cases = ["bare", "agentchart", "agentchart-call", "ai-sdk"].flatMap((name) =>
  Object.keys(TASKS).map((task) => [name, task as keyof typeof TASKS] as const),
);

test.each(cases)("%s sends every request that the task %s asks for", async (name, taskName) => {
  const task = TASKS[taskName];
  const server = serverOf(task);
  server.checked = true;
  const { start } = await contender(name);
  const run = start({ fetch: server.fetch, rounds: task.rounds });
  server.settle(await run());
  server.settle(await run());
});

test("a request without a result that the task asks for is refused", async () => {
  const server = serverOf(TASKS.round);
  server.checked = true;
  const { start } = await contender("bare");
  const forgetful: typeof fetch = async (url, init) => {
    const body = JSON.parse(String(init?.body)) as { messages: { content: string }[] };
    if (body.messages.length > 2) body.messages.at(-1)!.content = "";
    return server.fetch(url, { ...init, body: JSON.stringify(body) });
  };
  await expect(start({ fetch: forgetful, rounds: 1 })()).rejects.toHaveProperty(
    "cause.message",
    expect.stringContaining("the messages differ"),
  );
});

test("a run that ends before its last request is refused", () => {
  const server = serverOf(TASKS.round);
  expect(() => server.settle("All rooms are read.")).toThrow("0 requests were sent; expected 2.");
  expect(() => server.settle("No.")).toThrow("The task was not done");
});
