/** What is looked at: a run, and a step of it or, with `q` null, always the newest. */
export type Selection = { readonly runId: string | null; readonly q: number | null };

/** `#/run/<id>/<q>`; without the number it is live. */
export function readAddress(hash: string): Selection {
  const [, id, q] = /^#\/run\/([^/]+)(?:\/(\d+))?$/.exec(hash) ?? [];
  if (id === undefined) return { runId: null, q: null };
  try {
    return { runId: decodeURIComponent(id), q: q === undefined ? null : Number(q) };
  } catch {
    return { runId: null, q: null };
  }
}

export function writeAddress({ runId, q }: Selection): string {
  if (runId === null) return "#/";
  return `#/run/${encodeURIComponent(runId.toWellFormed())}${q === null ? "" : `/${q}`}`;
}

/** The token of a link `#t=…`; undefined if there is none. */
export function tokenIn(hash: string): string | undefined {
  return /^#t=([\w.~-]+)/.exec(hash)?.[1];
}
