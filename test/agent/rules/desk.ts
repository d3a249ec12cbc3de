import { createAgent, defineTool, type Agent, type JsonObject, type Tool } from "agentchart";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";

type Config = Parameters<typeof createAgent>[0];

/** What ran, in the order in which it began. */
export type Ledger = string[];

/** A tool that notes in a ledger that it ran, with its `id` if it has one. */
export function noting(
  ledger: Ledger,
  name: string,
  act: (input: JsonObject) => unknown = () => "done",
  options: Partial<Parameters<typeof defineTool>[0]> = {},
): Tool {
  return defineTool({
    name,
    description: name,
    input: { type: "object" },
    ...options,
    execute: (input: unknown) => {
      const { id } = input as JsonObject;
      ledger.push(id === undefined ? name : `${name} ${String(id)}`);
      return act(input as JsonObject) as string;
    },
  } as never) as Tool;
}

/** A turn of the model that calls tools; a text is one without arguments. */
export const asks = (
  ...calls: readonly (string | readonly [name: string, input: JsonObject])[]
): ScriptedTurn => ({
  calls: calls.map((call) =>
    typeof call === "string" ? { name: call, input: {} } : { name: call[0], input: call[1] },
  ),
});

/** An agent with tools that note what ran, and a model with a script. */
export function desk(
  script: readonly ScriptedTurn[],
  config: Partial<Config> & Pick<Config, "rules">,
  ledger: Ledger = [],
): { readonly agent: Agent; readonly ledger: Ledger } {
  const names = ["verify", "refund", "payout", "read_secret", "send_mail"];
  const agent = createAgent({
    name: "desk",
    model: scriptedModel(script),
    tools: names.map((name) => noting(ledger, name)),
    ...config,
  } as Config) as Agent;
  return { agent, ledger };
}

/** The results of a session, as `name: state` and the text of those that are not a success. */
export async function told(agent: Agent): Promise<readonly string[]> {
  const messages = await agent.messages();
  return messages.flatMap(({ content }) =>
    content.flatMap((block) => {
      if (block.type !== "tool_result") return [];
      const text = block.output.map((part) => (part.type === "text" ? part.text : part.type)).join("");
      return [
        block.state === "success" ? `${block.name}: success` : `${block.name}: ${block.state}: ${text}`,
      ];
    }),
  );
}
