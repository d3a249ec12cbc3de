import type { JsonObject } from "../../core/base/json.ts";
import * as s from "../../core/base/option-schema.ts";
import { check } from "../../core/base/options.ts";
import type { ToolResultBlock } from "../../core/message/types.ts";
import { defineTool } from "../../core/tool/define.ts";
import { suspend } from "../../core/tool/suspend.ts";
import type { Tool, ToolOutcome, ToolReturn } from "../../core/tool/types.ts";

/** Options of {@link askUser}. */
export type AskUserOptions = {
  /** Default `ask_user`. */
  readonly name?: string | undefined;
  /** The description by which the model chooses the tool; default: that it asks the user, and waits for the answer. */
  readonly description?: string | undefined;
};

/** The schema of {@link AskUserOptions}. */
export const askUserSchema = s.lazily(() =>
  s.options<AskUserOptions>({
    name: s.optional(s.matching(/^[\w-]{1,64}$/, '1 to 64 letters, digits, "_" or "-"')),
    description: s.optional(s.string()),
  }),
);

/** The id of the question. */
const ANSWER = "answer";

const INPUT: JsonObject = {
  type: "object",
  properties: {
    question: { type: "string", description: "What to ask." },
    schema: { type: "object", description: "JSON Schema of the answer. Default: a text." },
  },
  required: ["question"],
};

function unanswered(text: string, how: "declined" | "none"): ToolOutcome {
  return { output: [{ type: "text", text }], state: "error", metadata: { answer: how } };
}

/** True for the result of a question that the user did not want to answer. */
export function isDeclined({ metadata }: Pick<ToolResultBlock, "metadata">): boolean {
  return metadata?.["answer"] === "declined";
}

/**
 * Makes a tool that asks a person. The turn is suspended until somebody answers, in this process or in another one, over HTTP or in the
 * inspector, with `decide("CALLID/answer", { respond: … })`. An answer that the `schema` of the question does not accept is refused with
 * `run/bad-results`, and the question stays open; without a schema it must be a text. `{ decline: true }` and `{ cancel: true }` give a
 * failed result that says so. Throws `config/invalid` for wrong options.
 *
 * @example
 * ```ts
 * import { createAgent, type ChatModel } from "agentchart";
 * import { askUser } from "agentchart/team";
 *
 * export async function order(model: ChatModel, answer: (question: string) => Promise<string>) {
 *   const agent = createAgent({ name: "desk", model, tools: [askUser()] });
 *   let reply = await agent.call("Order something to eat.");
 *   while (reply.pending.length > 0) {
 *     for (const { callId, reason = "" } of reply.pending) await agent.decide(callId, { respond: await answer(reason) });
 *     reply = await agent.call();
 *   }
 *   return reply.text;
 * }
 * ```
 */
export function askUser(options: AskUserOptions = {}): Tool {
  check(askUserSchema(), options, "askUser");
  const { name = "ask_user", description = "Asks the user a question, and waits for the answer." } = options;
  return defineTool({
    name,
    description,
    input: INPUT,
    onRestart: "retry",
    execute: ({ question, schema }, { resumed }): ToolReturn => {
      const answer = resumed?.answers[ANSWER];
      if (typeof answer === "object" && "respond" in answer)
        return typeof answer.respond === "string" ? answer.respond : JSON.stringify(answer.respond);
      if (typeof answer === "object" && "decline" in answer)
        return unanswered("Error: The user does not want to answer.", "declined");
      if (resumed) return unanswered("Error: Nobody has answered.", "none");
      const isForm = schema !== undefined;
      const ask = { id: ANSWER, kind: isForm ? "form" : "question", message: question as string } as const;
      const asks = [{ ...ask, schema: isForm ? (schema as JsonObject) : { type: "string" } }];
      return suspend("A question to the user is open.", { then: "resume", asks });
    },
  }) as Tool;
}
