import { appendFileSync, readFileSync } from "node:fs";
import type { ErrorInfo } from "../../core/base/error.ts";
import type { Json, JsonObject } from "../../core/base/json.ts";
import type { Decision } from "../../core/tool/pending.ts";
import type { Lease } from "../../store/port.ts";

/** A call that waits, as the ledger notes it. */
export type NotedCall = {
  readonly callId: string;
  readonly name: string;
  readonly input: JsonObject;
  readonly waitsFor: string;
  /** The decision that is recorded, if there is one. */
  readonly decided?: Decision | undefined;
};

/** A call of a tool, as the ledger notes it. */
export type NotedRun = {
  readonly tool: string;
  readonly callId: string;
  readonly sessionId: string;
  /** The idempotency key. */
  readonly key: string;
  readonly input: Json;
  /** True if the tool may be repeated after a crash. */
  readonly isIdempotent: boolean;
};

/** The outcome of a call: the text or the blocks of its result. */
export type NotedResult = { readonly result?: Json; readonly error?: string };

/** A note that a process of a run writes down, outside of the process. */
export type Note =
  | { readonly note: "instant"; readonly id: string; readonly label: string }
  | { readonly note: "lease"; readonly lease: Lease }
  | ({ readonly note: "begin" } & NotedRun)
  | ({ readonly note: "end"; readonly ms: number } & NotedRun & NotedResult)
  | { readonly note: "repeated"; readonly tool: string; readonly isSame: boolean }
  | { readonly note: "pending"; readonly calls: readonly NotedCall[] }
  | { readonly note: "decided"; readonly call: NotedCall; readonly decision: Decision }
  | { readonly note: "refused" | "opened" | "stopped" }
  | { readonly note: "unwatched"; readonly names: readonly string[] }
  | {
      readonly note: "done";
      readonly agent: string;
      readonly transcript: readonly string[];
      /** The last turn rests because a limit of its budget was reached. */
      readonly isOverBudget?: boolean;
      readonly effects?: Json;
    }
  | { readonly note: "error"; readonly error: ErrorInfo; readonly isImpossible?: boolean };

/** A note, and the process of the run that made it, counted from 1. */
export type LifeNote = Note & { readonly life: number };

/** The notes of a process. Each is on the disk when `write` returns, so that a SIGKILL loses none. */
export class Ledger {
  readonly #file: string;
  readonly #life: number;

  constructor(file: string, life: number) {
    this.#file = file;
    this.#life = life;
  }

  write(note: Note): void {
    appendFileSync(this.#file, `${JSON.stringify({ life: this.#life, ...note })}\n`);
  }

  read(): readonly LifeNote[] {
    return readNotes(this.#file);
  }
}

/** The notes of a ledger; none if there is no file. A line that was cut off is left out. */
export function readNotes(file: string): readonly LifeNote[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return [];
  }
  return text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .flatMap((line) => (line === "" ? [] : [JSON.parse(line) as LifeNote]));
}

/** The notes of one kind. */
export function notesOf<Kind extends Note["note"]>(
  notes: readonly LifeNote[],
  kind: Kind,
): readonly (Extract<Note, { readonly note: Kind }> & { readonly life: number })[] {
  return notes.filter((note): note is never => note.note === kind);
}
