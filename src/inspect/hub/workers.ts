import type { WorkerRow } from "../protocol/protocol.ts";
import type { Worker } from "./live-run.ts";

/** Rows that pages are told. */
const MOST_ROWS = 100;
const MOST_LOST = 1_000;

type Known = { worker: Worker; isUp: boolean; since: number; heardAt: number };

/** The processes that are, or were, connected. */
export class Workers {
  readonly #known = new Map<string, Known>();
  readonly #changed: () => void;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  joined(worker: Worker): void {
    const now = Date.now();
    this.#known.delete(worker.id);
    this.#known.set(worker.id, { worker, isUp: true, since: now, heardAt: now });
    this.#changed();
  }

  /** A sign of life. */
  heard(worker: Worker): void {
    const known = this.#of(worker);
    if (known) known.heardAt = Date.now();
  }

  /** Its connection is gone; one that it has made since then stays. */
  lost(worker: Worker): void {
    const known = this.#of(worker);
    if (!known) return;
    this.#known.delete(worker.id);
    this.#known.set(worker.id, { ...known, isUp: false, since: known.heardAt });
    this.#forgetOldest();
    this.#changed();
  }

  /** Those that are up before those that were lost, the newest first, and how many there are.
   *  @param runs - how many each drives */
  list(runs: ReadonlyMap<string, number>): {
    readonly rows: readonly WorkerRow[];
    readonly up: number;
    readonly total: number;
  } {
    const newest = [...this.#known.values()].toReversed();
    const up = newest.filter(({ isUp }) => isUp);
    const inOrder = [...up, ...newest.filter(({ isUp }) => !isUp)];
    const rows = inOrder.slice(0, MOST_ROWS).map(({ worker: { id, pid }, isUp, since }) => ({
      id,
      pid,
      isUp,
      since,
      runs: runs.get(id) ?? 0,
    }));
    return { rows, up: up.length, total: inOrder.length };
  }

  #of(worker: Worker): Known | undefined {
    const known = this.#known.get(worker.id);
    return known?.worker === worker ? known : undefined;
  }

  #forgetOldest(): void {
    const lost = [...this.#known].filter(([, { isUp }]) => !isUp);
    if (lost.length > MOST_LOST) this.#known.delete(lost[0]![0]);
  }
}
