// A person who answers an agent over HTTP.
import { expect, onTestFinished, test } from "vitest";
import { askUser } from "agentchart/team";
import { scriptedModel } from "agentchart/testing";
import { createWorker } from "agentchart/worker";
import { createSession, openServer } from "../../server/open-server.ts";

test("a person answers over HTTP what an agent of a worker asks, and it goes on", async () => {
  const server = openServer();
  const schema = { type: "integer", minimum: 1 };
  const calls = [{ id: "c1", name: "ask_user", input: { question: "How many nights?", schema } }];
  const model = scriptedModel([{ calls }, "It is booked."]);
  const agents = { desk: () => ({ name: "desk", model, tools: [askUser()] }) };
  const worker = createWorker({ queue: server.queue, store: server.store, agents, sweepMs: 200 });
  onTestFinished(() => worker.close({ deadlineMs: 100 }));
  await worker.start();
  const id = await createSession(server);
  const session = async (): Promise<{
    readonly phase: string;
    readonly pending: readonly { readonly argsHash: string }[];
  }> => (await (await server.request("GET", `/v1/sessions/${id}`)).json()) as never;
  await expect.poll(async () => (await session()).phase).toBe("suspended");
  const [asked] = (await session()).pending;
  expect(asked).toMatchObject({ callId: "c1/answer", reason: "How many nights?", answerSchema: schema });
  const decide = (respond: unknown): Promise<Response> =>
    server.request("POST", `/v1/sessions/${id}/decisions`, {
      body: { callId: "c1/answer", argsHash: asked!.argsHash, decision: { respond } },
    });
  await decide(0);
  await decide(2);
  await expect.poll(async () => (await session()).phase).toBe("stopped");
  const { messages } = (await (await server.request("GET", `/v1/sessions/${id}/messages`)).json()) as {
    readonly messages: readonly object[];
  };
  expect(messages).toMatchObject([
    { role: "user" },
    { role: "assistant" },
    { content: [{ type: "tool_result", state: "success", output: [{ text: "2" }] }] },
    { content: [{ text: "It is booked." }] },
  ]);
});
