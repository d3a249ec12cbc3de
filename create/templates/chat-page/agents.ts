import { randomInt } from "node:crypto";
import { defineTool, type ChatModel } from "agentchart";
import type { WorkerAgents } from "agentchart/worker";
import { z } from "zod";
import { chooseModel, resultIn, wordsIn } from "./model.ts";

const rollDice = defineTool({
  name: "roll_dice",
  description: "Rolls dice with six sides.",
  input: z.object({ count: z.number().int().min(1).max(10) }),
  execute: ({ count }) => Array.from({ length: count }, () => randomInt(1, 7)).join(", "),
});

/** The configuration of the agent; what runs it makes one for each chat. */
export const player = (model: ChatModel) => ({
  name: "player",
  sysPrompt: "You play games of dice with the user.",
  model,
  tools: [rollDice],
});

const model = chooseModel((request) => {
  const rolled = resultIn(request);
  if (rolled) return `You rolled ${rolled}.`;
  if (/dic?e|roll/i.test(wordsIn(request))) return { tool: "roll_dice", input: { count: 2 } };
  return "I am a stand-in without a key, and know only one thing: say that you want to roll the dice.";
});

/** The words of the page about the agent. */
export const about = {
  player: { description: "Plays games of dice.", prompts: ["Roll two dice.", "Teach me a game."] },
};

export default { player: () => player(model) } satisfies WorkerAgents;
