import { createAgent, defineHook, defineTool, type Agent } from "agentchart";
import { scriptedModel } from "agentchart/testing";
import { z } from "zod";
import { at, type Place } from "./place.ts";

/** A hook that everybody has forgotten denies a call. */
export async function hookDenies(place: Place): Promise<Agent> {
  const send = defineTool({
    name: "send_mail",
    description: "Sends a mail.",
    input: z.object({ to: z.string(), text: z.string() }),
    execute: () => "Sent.",
  });
  const agent = createAgent({
    ...at(place, "hook-denies"),
    name: "mailer",
    model: scriptedModel([
      { calls: [{ id: "mail", name: "send_mail", input: { to: "ada@example.com", text: "Hi" } }] },
      "I could not send it.",
    ]),
    tools: [send],
    hooks: [
      defineHook({ name: "greeter", preCall: () => undefined }),
      defineHook({
        name: "freeze-of-december",
        preActing: ({ call }) =>
          call.name === "send_mail" ? { deny: "No mail leaves before the audit is over." } : {},
      }),
    ],
  });
  await agent.call("Write to Ada.");
  return agent;
}
