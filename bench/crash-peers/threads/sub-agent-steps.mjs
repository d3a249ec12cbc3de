// A sub-agent reads, and then asks for an approval: does it go on there, or begin again, as deepagentsjs#725 says? In one process with a saver in
// memory, as the thread has it, after one step and after two, approved and rejected, with two approvals, by two sub-agents, and streamed.
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";
import { Command, MemorySaver } from "@langchain/langgraph";
import { createDeepAgent } from "deepagents";
import { tool } from "langchain";
import { z } from "zod";

/** A model that makes the n-th call of its script after n results, and then says that it is done. */
class Scripted extends BaseChatModel {
  constructor(script) {
    super({});
    this.script = script;
  }
  _llmType() {
    return "scripted";
  }
  bindTools(tools) {
    return this.withConfig({ tools });
  }
  async _generate(messages) {
    const results = messages.filter((message) => message.getType() === "tool").length;
    const calls = this.script[results] ?? [];
    const tool_calls = calls.map(([name, args], at) => ({
      id: `${name}-${results}-${at}-${Math.random()}`,
      name,
      args,
      type: "tool_call",
    }));
    const message = new AIMessage({ content: calls.length > 0 ? "" : "Done.", tool_calls });
    return { generations: [{ text: "", message }] };
  }
}

const VARIANTS = [
  { steps: ["read", "rename"], reads: 1, renames: 1 },
  { steps: ["read", "read", "rename"], reads: 2, renames: 1 },
  { steps: ["read", "rename"], decision: "reject", reads: 1, renames: 0 },
  { steps: ["read", "rename", "read", "rename"], reads: 2, renames: 2 },
  { steps: ["read", "rename"], tasks: 2, reads: 2, renames: 2 },
  { steps: ["read", "rename"], isStreamed: true, reads: 1, renames: 1 },
];

/** Returns true if each call ran as often as it was asked for, and the run came to its end. */
async function goesOn({ steps, decision = "approve", tasks = 1, isStreamed = false, reads, renames }) {
  const ran = { read: 0, rename: 0 };
  const toolOf = (name) =>
    tool(
      () => {
        ran[name]++;
        return `${name} is done.`;
      },
      { name, description: name, schema: z.object({}) },
    );
  const task = ["task", { description: "Read it and rename it.", subagent_type: "clerk" }];
  const agent = createDeepAgent({
    model: new Scripted([Array.from({ length: tasks }, () => task)]),
    checkpointer: new MemorySaver(),
    subagents: [
      {
        name: "clerk",
        description: "Renames.",
        systemPrompt: "You rename.",
        model: new Scripted(steps.map((name) => [[name, {}]])),
        tools: [toolOf("read"), toolOf("rename")],
        interruptOn: { rename: true },
      },
    ],
  });
  const config = { configurable: { thread_id: "one" } };
  const run = async (input) => {
    if (!isStreamed) return agent.invoke(input, config);
    for await (const _part of await agent.stream(input, {
      ...config,
      streamMode: "updates",
      subgraphs: true,
    }));
    return undefined;
  };
  await run({ messages: [{ role: "user", content: "Rename it." }] });
  for (let asked = 0; asked < 6; asked++) {
    const { tasks: open } = await agent.getState(config);
    const interrupts = open.flatMap((each) => each.interrupts ?? []);
    if (interrupts.length === 0) break;
    const answer = { decisions: [{ type: decision, ...(decision === "reject" && { message: "No." }) }] };
    // Several that wait are answered by their ids, as the documentation says.
    const resume =
      interrupts.length === 1 ? answer : Object.fromEntries(interrupts.map(({ id }) => [id, answer]));
    await run(new Command({ resume }));
  }
  const { next } = await agent.getState(config);
  return next.length === 0 && ran.read === reads && ran.rename === renames;
}

export async function isMended() {
  for (const variant of VARIANTS) if (!(await goesOn(variant))) return false;
  return true;
}
