// A renewal that comes between the end of a lease and its answer is not a loss.
import { expect, test } from "vitest";
import type { SessionStore } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { bench, ofType } from "./kit.ts";

/** A store whose answer to an append that has ended a lease comes after the next renewal of that lease was refused. */
function late() {
  const inner = memoryStore();
  const waiting: (() => void)[] = [];
  const store: SessionStore = {
    ...inner,
    async append(id, { onRelease, ...batch }) {
      if (!onRelease) return inner.append(id, batch);
      const told: boolean[] = [];
      const seq = await inner.append(id, { ...batch, onRelease: (isReleased) => void told.push(isReleased) });
      if (told[0]) await new Promise<void>((resolve) => void waiting.push(resolve));
      for (const isReleased of told) onRelease(isReleased);
      return seq;
    },
    renew: (lease, ttlMs) =>
      inner.renew(lease, ttlMs).catch((error: unknown) => {
        for (const answer of waiting.splice(0)) setTimeout(answer, 20);
        throw error;
      }),
  };
  return store;
}

test("a lease that an append has ended is not reported as lost when its renewal comes before the answer of the append", async () => {
  const desk = await bench({ store: late(), leaseMs: 150 });
  for (let n = 0; n < 3; n++) await desk.dispatcher.dispatch(`s${n}`, "Hello.", { agent: "echo" });
  await expect.poll(() => desk.worker.stats().running === 0 && ofType(desk, "session.start").length).toBe(3);
  expect([ofType(desk, "session.lost"), ofType(desk, "error")]).toEqual([[], []]);
  expect(ofType(desk, "session.end")).toHaveLength(3);
});
