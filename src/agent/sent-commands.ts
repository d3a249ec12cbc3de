import type { AgentError, ErrorInfo } from "../base/error.ts";
import { errorFrom } from "../base/error.ts";
import type { Refusal } from "../../machines/chart/definition.ts";

type Answers = Map<string, (refused: AgentError | undefined) => void>;

/** The commands whose answer by the chart is awaited. */
export class SentCommands {
  #answers: Answers | undefined;
  #count = 0;

  /** Sends a command under a new id. Resolves once the chart has accepted it, after `onAccepted`, which is called in the same step;
   *  rejects with its refusal, or as {@link end} says. */
  send(send: (id: string) => void, onAccepted: () => void): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const id = `${++this.#count}`;
    (this.#answers ??= new Map() as Answers).set(id, (refused) => {
      if (refused) return reject(refused);
      onAccepted();
      resolve();
    });
    send(id);
    return promise;
  }

  /** The chart has answered the command with this id. */
  answer(id: string | undefined, refused: Refusal | undefined): void {
    if (id === undefined) return;
    this.#answers?.get(id)?.(refused && errorFrom(refused as ErrorInfo));
    this.#answers?.delete(id);
  }

  /** The chart answers no more: the commands that wait are rejected. */
  end(error: AgentError): void {
    for (const answer of this.#answers?.values() ?? []) answer(error);
    this.#answers = undefined;
  }
}
