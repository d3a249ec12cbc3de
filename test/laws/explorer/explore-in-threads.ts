import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { isSameKind, type Violation } from "../../../src/testing/explorer/walk.ts";
import type { Findings } from "./explore.ts";
import { OutcomeTable } from "./state-table.ts";
import type { Bounds } from "../../../src/testing/explorer/world.ts";
import { BOUNDS } from "./worlds.ts";
import { EdgeCoverage } from "./edge-coverage.ts";

/** What a thread is told: the bounds, and the index of the next world that no thread has taken. */
export type Share = { readonly name: Bounds["name"]; readonly next: Int32Array };

/** What a thread has found in one world, as data. */
export type WorldFindings = Pick<Findings, "states" | "transitions" | "leaves" | "violations"> & {
  readonly world: number;
  readonly taken: EdgeCoverage["taken"];
  readonly table: OutcomeTable["states"];
};

/** What {@link explore} finds, with a thread for each processor. Rejects if a thread fails. */
export async function exploreInThreads(name: Bounds["name"]): Promise<Findings> {
  const found: WorldFindings[] = [];
  const share: Share = { name, next: new Int32Array(new SharedArrayBuffer(4)) };
  await Promise.all(
    Array.from({ length: availableParallelism() }, async () => {
      const ended = Promise.withResolvers<void>();
      const worker = new Worker(new URL("./explore-thread.ts", import.meta.url), {
        workerData: share,
        execArgv: ["--conditions=agentchart-source"],
      });
      worker.on("message", (each: WorldFindings) => void (found[each.world] = each));
      worker.on("error", ended.reject).on("exit", () => ended.resolve());
      await ended.promise;
    }),
  );
  const { worlds } = BOUNDS[name];
  const missing = worlds.filter((_, index) => !found[index]);
  if (missing.length > 0) throw new Error(`Not explored: ${missing.map((world) => world.name).join(", ")}`);
  return merged(found);
}

function merged(found: readonly WorldFindings[]): Findings {
  const [edges, table, violations] = [new EdgeCoverage(), new OutcomeTable(), [] as Violation[]];
  for (const each of found) {
    for (const edge of each.taken) edges.take(edge);
    table.addAll(each.table);
    violations.push(...each.violations.filter((one) => !violations.some((known) => isSameKind(known, one))));
  }
  const sum = (key: "states" | "transitions"): number => found.reduce((total, each) => total + each[key], 0);
  return {
    states: sum("states"),
    transitions: sum("transitions"),
    leaves: new Set(found.flatMap(({ leaves }) => [...leaves])),
    edges,
    table,
    violations,
  };
}
