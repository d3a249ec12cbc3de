/** Runs `work` and then `cleanup`, also after a failure. If both fail, it rejects with the error of `work`. */
export async function withCleanup<T>(work: () => Promise<T>, cleanup: () => Promise<void>): Promise<T> {
  let result: T;
  try {
    result = await work();
  } catch (error) {
    await cleanup().catch(() => {});
    throw error;
  }
  await cleanup();
  return result;
}

/** Calls `use` with what was opened, and closes it. */
export const withClosing = <Opened extends { close(): Promise<void> }, T>(
  opened: Opened,
  use: (opened: Opened) => Promise<T>,
): Promise<T> =>
  withCleanup(
    () => use(opened),
    () => opened.close(),
  );
