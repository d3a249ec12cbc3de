import { appendFileSync, readFileSync } from "node:fs";
import { AgentError } from "../../core/base/error.ts";
import { withMembers } from "../../core/base/with-members.ts";
import { textOf } from "../../core/message/msg.ts";
import type { ChatModel, ModelRequest, StreamPart } from "../../core/model/port.ts";

type Recorded = { readonly place: string; readonly parts: readonly StreamPart[] };

/** The place of a request in its conversation: it is the same in another process, whatever the prompt is there. */
function placeOf(agent: string, { messages, tools, output }: ModelRequest): string {
  const said = messages.filter(({ role }) => role !== "system");
  const first = said.find(({ role }) => role === "user");
  const answers = said.filter(({ role }) => role === "assistant").length;
  return JSON.stringify([agent, first ? textOf(first) : "", answers, tools.length > 0, output?.name ?? ""]);
}

/** The answers of the models of a scenario. They are recorded in the run without a kill, and given again at the same places of all others, so
 *  that these cost nothing and a process that goes on finds the model that it had. */
export class Tape {
  readonly #file: string;
  readonly #recorded: Map<string, (readonly StreamPart[])[]> | undefined;
  readonly #asked = new Map<string, number>();

  constructor(file: string, isReplaying: boolean) {
    this.#file = file;
    if (!isReplaying) return;
    this.#recorded = new Map();
    for (const line of readFileSync(file, "utf8").split("\n")) {
      if (line === "") continue;
      const { place, parts } = JSON.parse(line) as Recorded;
      this.#recorded.set(place, [...(this.#recorded.get(place) ?? []), parts]);
    }
  }

  /** The model of an agent, on this tape. */
  model(agent: string, model: ChatModel): ChatModel {
    const stream: ChatModel["stream"] = (request, options) =>
      this.#recorded ? this.#replay(agent, request) : this.#record(agent, model, request, options);
    return withMembers(model, {
      stream,
      ...(model.withName && { withName: (name) => this.model(agent, model.withName!(name)) }),
    });
  }

  async *#record(
    agent: string,
    model: ChatModel,
    request: ModelRequest,
    options: Parameters<ChatModel["stream"]>[1],
  ): AsyncGenerator<StreamPart> {
    const parts: StreamPart[] = [];
    for await (const part of model.stream(request, options)) {
      if (part.type !== "ping") parts.push(part);
      yield part;
    }
    const recorded: Recorded = { place: placeOf(agent, request), parts };
    appendFileSync(this.#file, `${JSON.stringify(recorded)}\n`);
  }

  async *#replay(agent: string, request: ModelRequest): AsyncGenerator<StreamPart> {
    const place = placeOf(agent, request);
    const all = this.#recorded?.get(place) ?? [];
    const asked = this.#asked.get(place) ?? 0;
    this.#asked.set(place, asked + 1);
    const parts = all[Math.min(asked, all.length - 1)];
    if (!parts)
      throw new AgentError(
        "model/bad-request",
        `The agent '${agent}' asks its model for an answer that it did not ask for without a kill.`,
      );
    yield* parts;
  }
}
