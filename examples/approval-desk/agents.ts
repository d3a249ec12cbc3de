import type { ChatModel } from "agentchart";
import { openaiModel } from "agentchart/openai";
import type { WorkerAgents } from "agentchart/worker";
import { clerkModel } from "./clerk/clerk-model.ts";
import { deskTools } from "./tools/desk-tools.ts";
import { refundLedger } from "./tools/refund-ledger.ts";

const INSTRUCTIONS = `You work at the refunds desk of a shop. Look an order up before you say anything about it.
Ask for a refund with the tool; a colleague decides. Never promise money that no tool has confirmed.`;

/** Uses a language model if there is a key, else the clerk's rules. */
function modelFor(env: NodeJS.ProcessEnv): ChatModel {
  const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseURL, AGENTCHART_MODEL: model = "gpt-4.1-mini" } = env;
  return apiKey ? openaiModel({ model, apiKey, ...(baseURL && { baseURL }) }) : clerkModel();
}

const model = modelFor(process.env);
const tools = deskTools(refundLedger(process.env["DATABASE_URL"] ?? ""));

/** The agents that the workers of the desk run. */
export default {
  desk: () => ({ name: "desk", sysPrompt: INSTRUCTIONS, model, tools }),
} satisfies WorkerAgents;
