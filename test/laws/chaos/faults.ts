import { bullQueue, type WakeQueue } from "agentchart/worker";

/** Which queue, and how bad it is. */
export type QueueSpec = {
  readonly redis?: string;
  readonly postgres?: string;
  readonly name: string;
  /** Of so many wake-ups one is lost, and one is delivered twice at once. */
  readonly loses: number;
  readonly doubles: number;
};

/** BullMQ with a transport that loses wake-ups and delivers others twice. */
export function faultyQueue({ loses, doubles, ...options }: QueueSpec): WakeQueue {
  const queue = bullQueue({ ...options, lockMs: 1_000 });
  const oneOf = (count: number): boolean => Math.random() * count < 1;
  return {
    wake: async (sessionId, wake) => {
      if (!oneOf(loses)) await queue.wake(sessionId, wake);
    },
    consume: (handler, consuming) =>
      queue.consume(async (wakeUp) => {
        const times = oneOf(doubles) ? 2 : 1;
        await Promise.all(Array.from({ length: times }, () => handler(wakeUp)));
      }, consuming),
    publish: (...args) => queue.publish(...args),
    subscribe: (...args) => queue.subscribe(...args),
    stats: () => queue.stats(),
    close: () => queue.close(),
  };
}
