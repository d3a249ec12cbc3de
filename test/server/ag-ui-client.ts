import { buildResumeArray, HttpAgent, type Message, type Tool } from "@ag-ui/client";
import { TOKENS } from "./open-server.ts";

/** The client of AG-UI. */
export class Page extends HttpAgent {
  readonly #agent: string;
  /** What the page declares. */
  tools: Tool[] = [];

  constructor(url: string, id: string, agent = "desk", initialMessages: Message[] = []) {
    const headers = { Authorization: `Bearer ${TOKENS.acme}` };
    super({ url: `${url}/v1/sessions/${id}/agui`, threadId: "thread", headers, initialMessages });
    this.#agent = agent;
  }

  /** What a person sees. */
  get shown(): readonly string[] {
    return this.messages.flatMap((message) => {
      if (message.role === "tool") return `${message.toolCallId}: ${String(message.content)}`;
      const calls = message.role === "assistant" ? (message.toolCalls ?? []) : [];
      const said = message.content ? [`${message.role}: ${String(message.content)}`] : [];
      return [...said, ...calls.map(({ id, function: { arguments: json } }) => `${id} ${json}`)];
    });
  }

  async go(resume?: Parameters<typeof buildResumeArray>[1]): Promise<void> {
    const forwardedProps = { agent: this.#agent };
    const answers = resume && { resume: buildResumeArray(this.pendingInterrupts, resume) };
    await this.runAgent({ forwardedProps, tools: this.tools, ...answers });
  }

  async say(content: string): Promise<void> {
    this.addMessage({ id: `said ${content}`.replaceAll(" ", "-"), role: "user", content });
    await this.go();
  }
}
