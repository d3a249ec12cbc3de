import type { ChatModel, StreamPart } from "../../src/index.ts";

/** Models that can give their newest answer once more, without being asked. */
export class Replaying {
  #last: StreamPart[] = [];
  #isDue = false;

  /** The next request is answered as the one before. */
  again(): void {
    this.#isDue = true;
  }

  /** The same model, whose answers are kept. */
  model(model: ChatModel): ChatModel {
    const stream: ChatModel["stream"] = (request, options) => this.#stream(model, request, options);
    return new Proxy({} as ChatModel, {
      get: (_, key) => (key === "stream" ? stream : Reflect.get(model, key, model)),
    });
  }

  async *#stream(model: ChatModel, ...request: Parameters<ChatModel["stream"]>): AsyncGenerator<StreamPart> {
    if (this.#isDue) {
      this.#isDue = false;
      const last = this.#last;
      yield* last;
      return;
    }
    const parts: StreamPart[] = (this.#last = []);
    for await (const part of model.stream(...request)) {
      parts.push(part);
      yield part;
    }
  }
}
