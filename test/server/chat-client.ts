import {
  AbstractChat,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
} from "ai";
import { sendAnswers } from "agentchart/ui";
import { TOKENS } from "./open-server.ts";

/** The client of the AI SDK, without React around it. */
export class Chat extends AbstractChat<UIMessage> {
  constructor(options: {
    readonly url: string;
    readonly id: string;
    readonly body?: object;
    readonly token?: string;
    readonly messages?: UIMessage[];
    readonly sendsAutomatically?: boolean;
    /** True: the page sends the results of its own tools once it has all of them. */
    readonly answersTools?: boolean;
  }) {
    const { url, id, body = {}, token = TOKENS.acme, messages = [], sendsAutomatically = true } = options;
    const state = {
      status: "ready" as const,
      error: undefined,
      messages: structuredClone(messages),
      pushMessage: (message: UIMessage) => void state.messages.push(message),
      popMessage: () => void state.messages.pop(),
      replaceMessage: (index: number, message: UIMessage) => void (state.messages[index] = message),
      snapshot: <T>(thing: T): T => structuredClone(thing),
    };
    super({
      id,
      state,
      transport: new DefaultChatTransport({
        api: `${url}/v1/sessions/${id}/chat`,
        headers: { Authorization: `Bearer ${token}` },
        body,
      }),
      ...(sendsAutomatically && {
        sendAutomaticallyWhen: options.answersTools
          ? lastAssistantMessageIsCompleteWithToolCalls
          : sendAnswers(),
      }),
    });
  }

  /** What a person sees. */
  get shown(): readonly string[] {
    return this.messages.flatMap(({ role, parts }) =>
      parts.flatMap((part) => {
        if (part.type === "text") return `${role}: ${part.text}`;
        if (part.type === "dynamic-tool") return `${part.toolCallId} ${part.state}`;
        return part.type === "step-start" ? [] : part.type;
      }),
    );
  }

  say(text: string): Promise<void> {
    return this.sendMessage({ text });
  }
}
