import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { SessionStore } from "../../store/port.ts";
import { notesOf, readNotes, type LifeNote } from "./ledger.ts";
import { Life, releaseLeases, type Ended } from "./life.ts";
import type { Orders } from "./orders.ts";
import type { CrashPoint } from "./types.ts";

/** After so many processes a run that has not ended never does. */
const MAX_LIVES = 5;

/** The things that all runs of a test have in common. */
export type Bench = {
  readonly base: Pick<Orders, "file" | "scenarioFile" | "agent" | "scenario" | "input" | "store" | "tape">;
  readonly folder: string;
  /** Begins the ids of the sessions. */
  readonly prefix: string;
  readonly store: SessionStore;
  /** The file of the next release. */
  readonly releaseFile?: string | undefined;
  readonly lifeLimitMs: number;
  readonly signal?: AbortSignal | undefined;
};

/** A run that has ended, and its notes. `endless`: one of its processes did not end in time, or as many as there may be died.
 *  `unreached`: it ended before it came to its point. */
export type Run = {
  readonly sessionId: string;
  readonly runFolder: string;
  readonly state: "done" | "error" | "endless" | "unreached" | "impossible" | "died";
  readonly notes: readonly LifeNote[];
  readonly errors: string;
};

/** The orders of the first process of a run. */
function ordersOf(bench: Bench, number: number): Orders {
  const name = String(number);
  const folder = join(bench.folder, name);
  mkdirSync(folder, { recursive: true });
  return {
    ...bench.base,
    sessionId: `${bench.prefix}/${name}`,
    folder,
    ledger: join(bench.folder, `${name}.ledger.jsonl`),
    life: 1,
    isRecording: false,
    waitMs: bench.lifeLimitMs,
  };
}

function runOf({ sessionId, folder, ledger }: Orders, state: Run["state"], errors: string): Run {
  return { sessionId, runFolder: folder, state, notes: readNotes(ledger), errors };
}

/** Returns how a run ended whose last process was not killed. */
function endOf(life: Life, { how, errors }: Ended): Run {
  const notes = life.notes();
  const state =
    how === "endless"
      ? how
      : notesOf(notes, "done").length > 0
        ? "done"
        : notesOf(notes, "error").some(({ isImpossible }) => isImpossible)
          ? "impossible"
          : notesOf(notes, "error").length > 0
            ? "error"
            : "died";
  return runOf(life.orders, state, errors);
}

/** Runs the scenario without a kill; `isRecording` also records what its models say. */
export async function runWhole(bench: Bench, number: number, isRecording: boolean): Promise<Run> {
  const life = new Life({ ...ordersOf(bench, number), isRecording }, bench.lifeLimitMs, bench.signal);
  return endOf(life, await life.ended);
}

/** Runs the scenario with the process that ends at a point. */
export async function runPoint(
  bench: Bench,
  number: number,
  point: CrashPoint,
  afterMs?: number,
): Promise<Run> {
  const orders = ordersOf(bench, number);
  const { how, instant, release } = point;
  const start = (more: Partial<Orders>): Life =>
    new Life({ ...orders, ...more }, bench.lifeLimitMs, bench.signal);
  if (how === "repeat") {
    const life = start({ repeat: instant });
    return endOf(life, await life.ended);
  }
  const first = start({ point: { instant, how, ...(afterMs !== undefined && { afterMs }) } });
  const next: Partial<Orders> =
    release === "file" ? { file: bench.releaseFile! } : release === undefined ? {} : { release };
  return how === "stop"
    ? takeOver(bench, first, start)
    : goOn(bench, first, (life) => start({ ...next, life }));
}

/** Goes on with a run whose process was killed, in other processes, until one ends by itself. */
async function goOn(bench: Bench, first: Life, start: (life: number) => Life): Promise<Run> {
  let life = first;
  for (let lives = 1; ; lives++) {
    const ended = await life.ended;
    if (ended.how === "exit" && lives === 1) return runOf(life.orders, "unreached", ended.errors);
    if (ended.how !== "killed") return endOf(life, ended);
    if (lives === MAX_LIVES) return runOf(life.orders, "endless", ended.errors);
    await releaseLeases(bench.store, life);
    life = start(lives + 1);
  }
}

/** Lets a second process take the session over from one that is stopped, and then continues that one. */
async function takeOver(bench: Bench, first: Life, start: (more: Partial<Orders>) => Life): Promise<Run> {
  if (!(await first.noted(({ note }) => note === "stopped"))) {
    const { how, errors } = await first.ended;
    return runOf(first.orders, how === "endless" ? "endless" : "unreached", errors);
  }
  const second = start({ life: 2 });
  try {
    await second.noted(({ note }) => note === "refused" || note === "opened");
    await releaseLeases(bench.store, first);
    const ended = await second.ended;
    first.continue();
    await first.ended;
    return endOf(second, ended);
  } finally {
    first.kill();
    second.kill();
  }
}
