/** The most that is shown of what a call has said while it runs, in characters: each piece shows the others again. */
const MAX_PROGRESS = 4_000;

/** Returns what is shown of a running call after one more piece: all that it has said, or the end of it. */
export function withProgress(shown: string | undefined, delta: string): string {
  const all = (shown ?? "") + delta;
  return all.length <= MAX_PROGRESS ? all : `…${all.slice(1 - MAX_PROGRESS)}`.toWellFormed();
}
