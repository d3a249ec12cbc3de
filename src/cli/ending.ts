/** Does `work`, then `end`, whatever came of it; what `work` threw comes first. */
export async function ending<T>(work: () => Promise<T>, end: () => Promise<void>): Promise<T> {
  let result: T;
  try {
    result = await work();
  } catch (error) {
    await end().catch(() => {});
    throw error;
  }
  await end();
  return result;
}
