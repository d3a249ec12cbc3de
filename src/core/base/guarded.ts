/** Runs a part of an observer, which must not harm what it observes: what it throws has no effect. Returns undefined then. */
export function guarded<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
