/** The selected run and step; the step is null while the page follows the newest one. */
export type Selection = { readonly runId: string | null; readonly stepNumber: number | null };

/** Parses `#/run/<id>/<step>`; without a step the newest one is followed. */
export function readAddress(hash: string): Selection {
  const [, id, stepNumber] = /^#\/run\/([^/]+)(?:\/(\d+))?$/.exec(hash) ?? [];
  if (id === undefined) return { runId: null, stepNumber: null };
  try {
    return {
      runId: decodeURIComponent(id),
      stepNumber: stepNumber === undefined ? null : Number(stepNumber),
    };
  } catch {
    return { runId: null, stepNumber: null };
  }
}

/** Returns the fragment of the address that {@link readAddress} reads. */
export function writeAddress({ runId, stepNumber }: Selection): string {
  if (runId === null) return "#/";
  return `#/run/${encodeURIComponent(runId.toWellFormed())}${stepNumber === null ? "" : `/${stepNumber}`}`;
}

/** The token of a link `#t=…`; undefined without one. */
export function tokenIn(hash: string): string | undefined {
  return /^#t=([\w.~-]+)/.exec(hash)?.[1];
}
