/** Does a work several times at once, and waits for all of them. Rejects with the first failure; `stop` is called then, so that the others begin
 *  nothing new. */
export async function allAtOnce(times: number, work: () => Promise<void>, stop: () => void): Promise<void> {
  const ended = await Promise.allSettled(
    Array.from({ length: times }, () =>
      work().catch((error: unknown) => {
        stop();
        throw error;
      }),
    ),
  );
  const failed = ended.find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
}
