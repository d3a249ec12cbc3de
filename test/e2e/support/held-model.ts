import type { ChatModel, StreamPart } from "agentchart";

/** A model whose answers are given by hand, one part at a time, so that a test can look in between. */
export class HeldModel {
  readonly #asked: PromiseWithResolvers<void>[] = [Promise.withResolvers()];
  readonly #parts: StreamPart[] = [];
  #given: PromiseWithResolvers<void> = Promise.withResolvers();
  aborts = 0;
  requests: Parameters<ChatModel["stream"]>[0][] = [];

  readonly model: ChatModel = {
    name: "held",
    stream: (request, { signal }) => this.#stream(request, signal),
  };

  /** Ends when the model is asked the `count`th time. */
  async asked(count: number): Promise<void> {
    while (this.requests.length < count) await this.#asked[this.requests.length]!.promise;
  }

  /** Goes on with these parts; the answer ends with a part of type `finish`. */
  give(...parts: readonly StreamPart[]): void {
    this.#parts.push(...parts);
    this.#given.resolve();
  }

  async *#stream(
    request: Parameters<ChatModel["stream"]>[0],
    signal: AbortSignal,
  ): AsyncGenerator<StreamPart> {
    this.requests.push(request);
    this.#asked.push(Promise.withResolvers());
    this.#asked[this.requests.length - 1]!.resolve();
    for (;;) {
      for (let part = this.#parts.shift(); part; part = this.#parts.shift()) {
        yield part;
        if (part.type === "finish") return;
      }
      await Promise.race([this.#given.promise, aborted(signal)]);
      this.#given = Promise.withResolvers();
      if (signal.aborted) {
        this.aborts += 1;
        throw signal.reason;
      }
    }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
