import type { Cell } from "../sql/cell.ts";

/** A table that a tool made, with the SQL it came from. */
export type KeptResult = {
  readonly id: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  readonly sql: string;
  /** What was done to the rows of `sql`, if this is not the result itself. */
  readonly derivation?: string;
};

export type KeptChart = {
  readonly id: string;
  readonly title: string;
  readonly svg: string;
  readonly result: KeptResult;
};

/** What the tools of one agent hand to each other by id, so that no number has to pass through a model. */
export class Workbench {
  readonly #results = new Map<string, KeptResult>();
  readonly #charts = new Map<string, KeptChart>();
  #count = 0;

  keepResult(result: Omit<KeptResult, "id">): KeptResult {
    const kept = { ...result, id: `r${++this.#count}` };
    this.#results.set(kept.id, kept);
    return kept;
  }

  keepChart(chart: Omit<KeptChart, "id">): KeptChart {
    const kept = { ...chart, id: `c${++this.#count}` };
    this.#charts.set(kept.id, kept);
    return kept;
  }

  /** Throws an Error that the model can act on. */
  result(id: string): KeptResult {
    return this.#get(this.#results, id, "result", "query_database");
  }

  /** Throws an Error that the model can act on. */
  chart(id: string): KeptChart {
    return this.#get(this.#charts, id, "chart", "generate_chart");
  }

  #get<T>(kept: Map<string, T>, id: string, kind: string, maker: string): T {
    const found = kept.get(id);
    if (found) return found;
    const known = [...kept.keys()].join(", ") || "none yet";
    throw new Error(`There is no ${kind} "${id}" (known: ${known}). Make one with ${maker}.`);
  }
}

/** The position of a column. Throws an Error that lists the columns there are. */
export function columnIndex(result: KeptResult, column: string): number {
  const index = result.columns.indexOf(column);
  if (index !== -1) return index;
  throw new Error(
    `Result ${result.id} has no column "${column}". Its columns: ${result.columns.join(", ")}.`,
  );
}
