import type { WorkerToHub } from "../protocol/protocol.ts";
import type { WatchedRun, WorkerInfo } from "./watch-run.ts";

/** Bytes of steps, or characters of a long string, in one message; the hub takes messages of up to 16 MB. */
const MESSAGE = 256_000;

/** Text in parts, some of which are bytes already. */
export type Message = readonly (string | Buffer)[];

/** What the hub has heard of a run, and what it is still to hear. */
export class RunSender {
  readonly run: WatchedRun;
  /** Something has happened since it was looked at. */
  isDue = false;
  #sent = 0;
  #states = 0;
  #blobs = new Set<string>();
  #report = "";

  constructor(run: WatchedRun) {
    this.run = run;
  }

  /** True if the hub has heard of every step. */
  get isDone(): boolean {
    return this.#sent >= this.run.history.last;
  }

  /** The hub is another one, or has been away: it has the steps up to `last`. */
  beginAfter(last: number): void {
    this.#sent = last <= this.run.history.last ? last : 0;
    this.#states = 0;
    this.#blobs = new Set();
    this.#report = "";
  }

  /** The messages for which there is room. */
  *messages(worker: WorkerInfo, hasRoom: () => boolean): Generator<Message> {
    yield* this.#reported(worker);
    yield* this.#longStrings(hasRoom);
    while (!this.isDone && hasRoom()) yield this.#steps();
    const { items, dropped } = this.run.stream.drain();
    if (items.length > 0 && hasRoom()) yield text({ type: "stream", items, dropped });
  }

  *#reported(worker: WorkerInfo): Generator<Message> {
    const report = this.run.report(worker);
    const { steps: _, state: __, updatedAt: ___, ...row } = report.row;
    const what = JSON.stringify([row, report.pending, report.exceeded]);
    if (what === this.#report) return; // the hub sees the rest in the steps
    this.#report = what;
    yield text({ type: "run", ...report });
  }

  *#longStrings(hasRoom: () => boolean): Generator<Message> {
    const { blobs } = this.run.history;
    for (const [sha, whole] of blobs) {
      if (this.#blobs.has(sha)) continue;
      if (!hasRoom()) return;
      this.#blobs.add(sha);
      const parts = Math.ceil(whole.length / MESSAGE);
      for (let part = 0; part < parts; part++) {
        const piece = whole.slice(part * MESSAGE, (part + 1) * MESSAGE);
        yield text({ type: "blob", runId: this.run.runId, sha, part, parts, text: piece });
      }
    }
  }

  #steps(): Message {
    const { history, runId } = this.run;
    const { first, last, base, states } = history;
    const from = Math.max(this.#sent + 1, first);
    const { bytes, count } = history.from(from, MESSAGE);
    const isCut = from > this.#sent + 1 || (from === first && from > 1);
    const head = {
      runId,
      states: states.slice(this.#states),
      statesFrom: this.#states,
      ...(isCut && base && { keyframe: base }),
      total: last,
      first,
    };
    this.#sent = from + count - 1;
    this.#states = states.length;
    const begin = `{"type":"steps",${JSON.stringify(head).slice(1, -1)},"items":[`;
    return [begin, bytes, "]}"];
  }
}

function text(message: WorkerToHub): Message {
  return [JSON.stringify(message)];
}
