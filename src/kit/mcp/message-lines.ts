import type { AgentError } from "../../core/base/error.ts";
import { MessageMeter } from "./bounded.ts";
import { mendAnswer } from "./mend-answer.ts";

const LINE_FEED = 10;

/** Reads messages that are lines of JSON. */
export class MessageLines {
  readonly #meter: MessageMeter;
  #parts: Buffer[] = [];

  /** `max` is the size of the content of the largest message, in bytes. */
  constructor(max: number) {
    this.#meter = new MessageMeter(max);
  }

  /** Returns the messages that end in what has come, in the form that the protocol has; a line that is no JSON is skipped. Throws for a
   *  message that is larger than it may be. */
  read(chunk: Buffer): unknown[] {
    const messages: unknown[] = [];
    let start = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!;
      this.#meter.add(byte);
      if (byte !== LINE_FEED) continue;
      this.#check();
      this.#parts.push(chunk.subarray(start, at));
      start = at + 1;
      messages.push(...this.#taken());
    }
    this.#check();
    if (start < chunk.length) this.#parts.push(Buffer.from(chunk.subarray(start)));
    return messages;
  }

  #check(): void {
    const problem: AgentError | undefined = this.#meter.problem;
    if (problem) throw problem;
  }

  #taken(): unknown[] {
    const line = Buffer.concat(this.#parts).toString();
    this.#parts = [];
    this.#meter.reset();
    try {
      return [mendAnswer(JSON.parse(line))];
    } catch {
      return []; // what a program logs
    }
  }

  clear(): void {
    this.#parts = [];
    this.#meter.reset();
  }
}
