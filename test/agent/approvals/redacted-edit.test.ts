// A value that was redacted for the person comes back as the original in an edited call.
import { expect, test } from "vitest";
import { redactSecrets, type JsonObject } from "agentchart";
import { scripted, toolOf } from "../../support/agents.ts";

const INPUT: JsonObject = { user: "maria", apiKey: "sk-1", hosts: [{ name: "a", token: "t-1" }] };

test("a redacted value in an edit is the original one, and every other value is the edited one", async () => {
  const ran: unknown[] = [];
  const tools = [toolOf("log_in", (input) => `in ${ran.push(input)}`, { permission: "ask" })];
  const { agent } = scripted([{ calls: [{ id: "c", name: "log_in", input: INPUT }] }, "done"], { tools });
  const [asked] = (await agent.call("Log in")).pending;
  const shown = redactSecrets(asked!.input);
  expect(shown).toEqual({
    user: "maria",
    apiKey: "[redacted]",
    hosts: [{ name: "a", token: "[redacted]" }],
  });
  const edit = { ...shown, user: "ben", hosts: [{ name: "b", token: "[redacted]" }], password: "new" };
  await agent.decide("c", { edit });
  expect((await agent.call()).text).toBe("done");
  expect(ran).toEqual([
    { user: "ben", apiKey: "sk-1", hosts: [{ name: "b", token: "t-1" }], password: "new" },
  ]);
});
