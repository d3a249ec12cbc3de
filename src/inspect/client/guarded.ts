/** Runs a part of the inspector that must not harm the agent: what it throws has no effect. Returns undefined then. */
export function guarded<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
