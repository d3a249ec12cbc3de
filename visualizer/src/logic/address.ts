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

/** Parses `#/compare/<id>,<id>`; undefined for another address, or with fewer than two runs. */
export function readComparison(hash: string): readonly string[] | undefined {
  const [, ids = ""] = /^#\/compare\/([^/]+)$/.exec(hash) ?? [];
  try {
    const runIds = [...new Set(ids.split(",").filter(Boolean).map(decodeURIComponent))];
    return runIds.length > 1 ? runIds : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the fragment of the address that {@link readComparison} reads. */
export function writeComparison(runIds: readonly string[]): string {
  return `#/compare/${runIds.map((runId) => encodeURIComponent(runId.toWellFormed())).join(",")}`;
}

/** Parses `#/overview`, and `#/reports/<number>,<number>`: what follows the first slash; null for another address. */
export function readMany(hash: string): string | null {
  return /^#\/(overview|reports(?:\/\d+(?:,\d+)?)?)$/.exec(hash)?.[1] ?? null;
}

/** The token of a link `#t=…`, and the fragment of what it leads to, as in `#t=…/run/ID`; undefined without a token. */
export function readLink(hash: string): { readonly token: string; readonly address: string } | undefined {
  const [, token, path = "/"] = /^#t=([\w.~-]+)(\/.*)?/.exec(hash) ?? [];
  return token === undefined ? undefined : { token, address: `#${path}` };
}
