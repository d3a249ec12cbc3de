import type { Json } from "../../base/json.ts";

/** The knowledge of a page about a turn that has begun or ended. */
export type TurnMetadata = {
  /** Number of the turn in the session. */
  readonly turn: number;
  /** The reason for which the turn ended or is suspended; absent before. */
  readonly reason?: string;
  /** The reason for which the model ended its last answer, unless it came to its end by itself: `length`, `content_filter`, `refusal` or
   *  `unknown`. */
  readonly finishReason?: string;
  /** The structured answer so far, if the turn was asked for one: what fits its schema but for what may still come. Null once it begins
   *  again, because it was refused or asked for again. */
  readonly partialOutput?: Json;
};

/** The outcome of a call: its `CallAccount`, if there is something to say, and the `FileDiff` of what it has changed in a file. */
type CallMetadata = { readonly account?: Json; readonly diff?: Json };

type Call = { readonly toolCallId: string };

/** The chunks of the AI SDK's UI message stream that a turn of an agent needs. They are those of `ai`, without depending on it. */
export type TurnChunk =
  | { readonly type: "start"; readonly messageId: string; readonly messageMetadata: TurnMetadata }
  | {
      readonly type: "message-metadata";
      readonly messageMetadata: Pick<TurnMetadata, "turn" | "partialOutput">;
    }
  | { readonly type: "start-step" | "finish-step" | "reset-step" }
  | { readonly type: "text-start" | "text-end" | "reasoning-start" | "reasoning-end"; readonly id: string }
  | { readonly type: "text-delta" | "reasoning-delta"; readonly id: string; readonly delta: string }
  | (Call & { readonly type: "tool-input-start"; readonly toolName: string; readonly dynamic: true })
  | (Call & { readonly type: "tool-input-delta"; readonly inputTextDelta: string })
  | (Call & {
      readonly type: "tool-input-available";
      readonly toolName: string;
      /** The arguments with which the call ran, once it has its result: hooks, people and the tool's schema may change them. Null if they are
       *  too long to be recorded. */
      readonly input: Json;
      readonly dynamic: true;
    })
  | (Call & {
      readonly type: "tool-output-available";
      readonly output: Json;
      readonly dynamic: true;
      readonly preliminary?: true;
      readonly toolMetadata?: CallMetadata;
    })
  | (Call & {
      readonly type: "tool-output-error";
      readonly errorText: string;
      readonly dynamic: true;
      readonly toolMetadata?: CallMetadata;
    })
  | (Call & { readonly type: "tool-output-denied"; readonly toolMetadata?: CallMetadata })
  | (Call & { readonly type: "tool-approval-request"; readonly approvalId: string; readonly reason?: string })
  | {
      readonly type: "steering-message";
      readonly id: string;
      readonly parts: readonly { readonly type: "text"; readonly text: string }[];
    }
  | {
      readonly type: "source-url";
      readonly sourceId: string;
      readonly url: string;
      readonly title: string;
      /** The `AnswerSource` under `agentchart`. */
      readonly providerMetadata: { readonly agentchart: Json & object };
    }
  | {
      readonly type: "source-document";
      readonly sourceId: string;
      readonly mediaType: string;
      readonly title: string;
      readonly filename?: string;
      /** The `AnswerSource` under `agentchart`. */
      readonly providerMetadata: { readonly agentchart: Json & object };
    }
  | { readonly type: "data-ask"; readonly id: string; readonly data: Json }
  | { readonly type: "data-state" | "data-compaction"; readonly data: Json; readonly transient: true }
  | { readonly type: "error"; readonly errorText: string }
  | { readonly type: "abort"; readonly reason: string }
  | {
      readonly type: "finish";
      readonly finishReason: "stop" | "length" | "content-filter" | "tool-calls" | "error" | "other";
      readonly messageMetadata: TurnMetadata;
    };
