import type { ChatModel } from "agentchart";
import { openaiModel } from "agentchart/openai";
import { planNotebook } from "agentchart/plan";
import { askUser } from "agentchart/team";
import type { WorkerAgents } from "agentchart/worker";
import { decide } from "./clerk/decide.ts";
import { investigate } from "./clerk/investigate.ts";
import { ruleModel } from "./clerk/rule-model.ts";
import { deskTools } from "./tools/desk-tools.ts";
import { investigator } from "./tools/investigator.ts";
import { refundLedger } from "./tools/refund-ledger.ts";

const INSTRUCTIONS = `You work at the refunds desk of a shop. Look an order up before you say anything about it. If a customer says
that goods are damaged, make a plan first, and have the claim checked with the tool investigate. Ask for a refund with the tool; a
colleague decides. Never promise money that no tool has confirmed. Use ask_user if you do not know which order it is. Answer in the
language of the customer, in plain text without Markdown.`;

/** What the clerk says when it is stopped, in both languages of the page. */
const STOPPED = "Stopped. 已停止。";
const DEFAULT_PACE_MS = 30;
const MODEL = "gpt-4.1-mini";
/** Dollars per million tokens. The rules cost what the model would, for as many tokens. */
const PRICE = { input: 0.4, output: 1.6 };

const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseURL, AGENTCHART_MODEL: name = MODEL } = process.env;
const paceMs = Number(process.env["DESK_PACE_MS"] ?? DEFAULT_PACE_MS);

/** Uses a language model if there is a key, else rules. */
const modelOf = (rules: ChatModel): ChatModel =>
  apiKey ? openaiModel({ model: name, apiKey, ...(baseURL && { baseURL }) }) : rules;

const prices = { [MODEL]: PRICE, rules: PRICE };
const model = modelOf(ruleModel("rules", decide, paceMs));
const tools = [
  ...deskTools(refundLedger(process.env["DATABASE_URL"] ?? "")),
  investigator(modelOf(ruleModel("rules", investigate, paceMs)), prices),
  askUser({
    description: "Asks the colleague at the desk what you cannot find out, and waits for the answer.",
  }),
];
const hooks = [planNotebook({ needUserConfirm: false }).hook];

/** The agents that the workers of the desk run. */
export default {
  desk: () => ({
    name: "desk",
    sysPrompt: INSTRUCTIONS,
    model,
    tools,
    hooks,
    modelOptions: { prices },
    turnOptions: { interruptReply: STOPPED },
  }),
} satisfies WorkerAgents;
