// Tools of a client over the server, after SIGKILL.
import { expect, test } from "vitest";
import { workerFixture } from "./worker-fixture.ts";

const SOON = { interval: 100 };
type State = {
  readonly phase: string;
  readonly pending: readonly { readonly callId: string; readonly name: string; readonly argsHash: string }[];
};

test("a tool that a client declares is there after SIGKILL, until its turn ends, in whichever process goes on", async () => {
  const fixture = workerFixture(undefined, "memory");
  const { request } = await fixture.serve();
  const first = await fixture.worker();
  const pick = { name: "pick", description: "Lets the user pick.", inputSchema: { type: "object" } };
  const session = "/v1/sessions/s";
  const body = { agent: "painter", input: "Ask me.", clientTools: [pick, { ...pick, name: "rm" }] };
  await request("POST", `${session}/messages`, body);
  const state = async () => (await request("GET", session)) as unknown as State;
  const asked = async (messages: number): Promise<void> => {
    await expect
      .poll(async () => (await state().catch(() => undefined))?.pending, SOON)
      .toMatchObject([{ callId: `call-${messages}`, name: "pick" }]);
  };
  const answer = async () => {
    const [{ callId, argsHash }] = (await state()).pending as [State["pending"][number]];
    await request("POST", `${session}/decisions`, { callId, argsHash, decision: { answer: "red" } });
  };
  await asked(1);
  first.child.kill("SIGKILL");
  await first.finished;

  await answer();
  const second = await fixture.worker();
  await asked(3); // its tool is known to this process too
  second.child.kill("SIGKILL");
  await second.finished;

  await fixture.worker();
  await answer();
  await expect.poll(async () => (await state()).phase, SOON).toBe("stopped");
  const { messages } = await request("GET", `${session}/messages`);
  const texts = JSON.stringify(messages);
  expect(texts.match(/"red"/g)).toHaveLength(2);
  expect(texts).toContain("Done: Ask me.");
});
