import type { JsonObject } from "../../core/base/json.ts";
import type { WorkerToHub } from "../protocol/protocol.ts";
import type { ReportedRun, WorkerInfo } from "./reported-run.ts";
import { textOfBytes } from "./step-pages.ts";

/** The maximum size of one message, in bytes of steps or characters of a long string; the hub accepts 32 MB. */
const MAX_MESSAGE_SIZE = 256_000;

/** A text message in parts, each a string or UTF-8 bytes. */
export type MessageParts = readonly (string | Uint8Array)[];

/** Returns a message in one piece. */
export function textOf(parts: MessageParts): string {
  return parts.map((part) => (typeof part === "string" ? part : textOfBytes(part))).join("");
}

/** Tracks what the hub has received of a run, and creates the messages that it still needs. */
export class RunSender {
  readonly run: ReportedRun;
  /** The run has changed since the last update. */
  hasUpdates = false;
  #sent = 0;
  #sentStates = 0;
  #sentBlobs = new Set<string>();
  #sentReport = "";

  constructor(run: ReportedRun) {
    this.run = run;
  }

  /** True if every step was sent. */
  get isUpToDate(): boolean {
    return this.#sent >= this.run.history.last;
  }

  /** Restarts for a hub that is new or was disconnected and has the steps up to `last`. */
  resumeAfter(last: number): void {
    this.#sent = last <= this.run.history.last ? last : 0;
    this.#sentStates = 0;
    this.#sentBlobs = new Set();
    this.#sentReport = "";
  }

  /** Creates the messages that are due, while `hasRoom` returns true. */
  *messages(worker: WorkerInfo, hasRoom: () => boolean): Generator<MessageParts> {
    yield* this.#reportMessage(worker);
    void this.#keyframe; // its long strings are blobs, which are sent before it
    yield* this.#blobMessages(hasRoom);
    while (!this.isUpToDate && hasRoom()) yield this.#stepsMessage();
    const { items, dropped } = this.run.drain();
    if (items.length > 0 && hasRoom()) yield toParts({ type: "stream", items, dropped });
  }

  *#reportMessage(worker: WorkerInfo): Generator<MessageParts> {
    const report = this.run.report(worker);
    const { steps: _, state: __, updatedAt: ___, ...row } = report.row;
    const content = JSON.stringify([row, report.pending, report.exceeded]);
    if (content === this.#sentReport) return; // the hub gets these fields from the steps
    this.#sentReport = content;
    yield toParts({ type: "run", ...report });
  }

  *#blobMessages(hasRoom: () => boolean): Generator<MessageParts> {
    const { blobs } = this.run.history;
    for (const sha of this.#sentBlobs) if (!blobs.has(sha)) this.#sentBlobs.delete(sha);
    for (const [sha, string] of blobs) {
      if (this.#sentBlobs.has(sha)) continue;
      if (!hasRoom()) return;
      this.#sentBlobs.add(sha);
      const parts = Math.ceil(string.length / MAX_MESSAGE_SIZE);
      for (let part = 0; part < parts; part++) {
        const piece = string.slice(part * MAX_MESSAGE_SIZE, (part + 1) * MAX_MESSAGE_SIZE);
        yield toParts({ type: "blob", runId: this.run.runId, sha, part, parts, text: piece });
      }
    }
  }

  /** The context before the next step, if the hub does not have the one before that. */
  get #keyframe(): JsonObject | undefined {
    const { history } = this.run;
    const isNext = this.#sent + 1 > history.first || history.first === 1;
    return isNext ? undefined : history.base;
  }

  #stepsMessage(): MessageParts {
    const { history, runId } = this.run;
    const { first, last, states } = history;
    const from = Math.max(this.#sent + 1, first);
    const { bytes, count } = history.from(from, MAX_MESSAGE_SIZE);
    const keyframe = this.#keyframe;
    const fields = {
      runId,
      states: states.slice(this.#sentStates),
      statesFrom: this.#sentStates,
      ...(keyframe && { keyframe }),
      total: last,
      first,
    };
    this.#sent = from + count - 1;
    this.#sentStates = states.length;
    const head = `{"type":"steps",${JSON.stringify(fields).slice(1, -1)},"items":[`;
    return [head, bytes, "]}"];
  }
}

function toParts(message: WorkerToHub): MessageParts {
  return [JSON.stringify(message)];
}
