import type { ChatModel, StreamPart } from "agentchart";

/** A model that streams only the parts that the test sends, so that the test can assert between two of them. */
export class HeldModel {
  readonly #arrivals: PromiseWithResolvers<void>[] = [Promise.withResolvers()];
  readonly #parts: StreamPart[] = [];
  #sent: PromiseWithResolvers<void> = Promise.withResolvers();
  /** How many requests were aborted. */
  aborts = 0;
  /** The requests so far, in order. */
  requests: Parameters<ChatModel["stream"]>[0][] = [];

  readonly model: ChatModel = {
    name: "held",
    stream: (request, { signal }) => this.#stream(request, signal),
  };

  /** Resolves when the model has received `count` requests. */
  async requested(count: number): Promise<void> {
    while (this.requests.length < count) await this.#arrivals[this.requests.length]!.promise;
  }

  /** Streams these parts to the current request; a part of type `finish` ends its answer. */
  send(...parts: readonly StreamPart[]): void {
    this.#parts.push(...parts);
    this.#sent.resolve();
  }

  async *#stream(
    request: Parameters<ChatModel["stream"]>[0],
    signal: AbortSignal,
  ): AsyncGenerator<StreamPart> {
    this.requests.push(request);
    this.#arrivals.push(Promise.withResolvers());
    this.#arrivals[this.requests.length - 1]!.resolve();
    for (;;) {
      for (let part = this.#parts.shift(); part; part = this.#parts.shift()) {
        yield part;
        if (part.type === "finish") return;
      }
      await Promise.race([this.#sent.promise, aborted(signal)]);
      this.#sent = Promise.withResolvers();
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
