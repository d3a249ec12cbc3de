import { isSame } from "../../core/base/json.ts";
import { effectsOf, type Baseline, type Fault } from "./judge.ts";
import { notesOf } from "./ledger.ts";
import { nameOf } from "./points.ts";
import type { Run } from "./run-point.ts";
import type { CrashAdvice, CrashFinding, CrashPoint } from "./types.ts";

type Found = { readonly index: number; readonly finding: CrashFinding };

/** The findings of a test: of each kind about each subject the one at the earliest point, and how many others there are. */
export class Findings {
  readonly #found = new Map<string, Found>();

  get count(): number {
    return this.#found.size;
  }

  /** Adds what was found at a point, which is the `index`-th of the plan. */
  add(index: number, point: CrashPoint, sessionId: string, faults: readonly Fault[]): void {
    const seen = new Set<string>();
    for (const { kind, message, subject } of faults) {
      const id = JSON.stringify([kind, subject]);
      if (seen.has(id)) continue;
      seen.add(id);
      const known = this.#found.get(id);
      const others = known ? known.finding.others + 1 : 0;
      if (known && known.index < index) {
        this.#found.set(id, { ...known, finding: { ...known.finding, others } });
        continue;
      }
      const where = point.label;
      const finding = {
        kind,
        message,
        ...(subject !== undefined && { subject }),
        where,
        at: nameOf(point),
        sessionId,
        others,
      };
      this.#found.set(id, { index, finding });
    }
  }

  all(): readonly CrashFinding[] {
    return [...this.#found.values()].toSorted((a, b) => a.index - b.index).map(({ finding }) => finding);
  }
}

/** Returns what the second calls say of the tools. */
export function adviceOf(baseline: Baseline, repeats: ReadonlyMap<string, Run>): readonly CrashAdvice[] {
  const isKnown = baseline.effects !== undefined && !baseline.hasVaryingEffects;
  return [...repeats].flatMap(([tool, run]): readonly CrashAdvice[] => {
    const begin = notesOf(run.notes, "begin").find((each) => each.tool === tool);
    const repeated = notesOf(run.notes, "repeated");
    if (!begin || repeated.length === 0 || run.state !== "done") return [];
    const isSameResult = repeated.every(({ isSame: same }) => same);
    if (begin.isIdempotent && !isKnown && !isSameResult)
      return [
        {
          tool,
          advice: "results-differ",
          message: `${tool} is repeated after a crash, and its second result is another one: give the scenario \`effects\` to see whether it acts twice.`,
        },
      ];
    if (begin.isIdempotent || !isKnown || !isSameResult || !isSame(effectsOf(run), baseline.effects))
      return [];
    return [
      {
        tool,
        advice: "could-be-idempotent",
        message: `${tool} called twice did no more than once: with \`idempotent: true\` nobody is asked after a crash.`,
      },
    ];
  });
}
