import crypto from "node:crypto";
import type { Redis } from "ioredis";
import { missingPackage } from "../../core/base/missing-package.ts";
import {
  decodeSignal,
  encodeSignal,
  MAX_WAITING,
  type BullTransport,
  type Signals,
  type Ticket,
} from "./bull-transport.ts";
import { SignalListeners } from "./signal-listeners.ts";

const MAX_RECONNECT_MS = 2_000;

/** Signals as messages of Redis. */
export function redisSignals(client: Redis, name: string): Signals & { close(): void } {
  const listeners = new SignalListeners();
  const channelOf = (sessionId: string) => `${name}:signals:${crypto.hash("sha256", sessionId)}`;
  let subscriber: Redis | undefined;
  let waiting = 0;
  const listening = (): Redis => {
    if (subscriber) return subscriber;
    subscriber = client.duplicate();
    subscriber.on("error", () => {}); // it reconnects and subscribes again
    subscriber.on("message", (channel: string, text: string) => {
      const signal = decodeSignal(text);
      if (signal) listeners.emit(channel, signal);
    });
    return subscriber;
  };
  return {
    async publish(sessionId, signal) {
      if (waiting >= MAX_WAITING) return;
      waiting++;
      await client.publish(channelOf(sessionId), encodeSignal(signal)).finally(() => waiting--);
    },
    async subscribe(sessionId, listener, late) {
      const channel = channelOf(sessionId);
      const own: typeof listener = (signal) => listener(signal);
      listeners.add(channel, own);
      const stop = (): void => {
        if (listeners.remove(channel, own))
          void listening()
            .unsubscribe(channel)
            .catch(() => {});
      };
      late.addEventListener("abort", stop);
      await listening().subscribe(channel);
      return stop;
    },
    close: () => subscriber?.disconnect(),
  };
}

/** Connects to BullMQ on Redis. Rejects `config/invalid` for a missing package. */
export async function redisTransport(url: string, name: string): Promise<BullTransport> {
  const { Redis: RedisClient } = await import("ioredis").catch(missingPackage("bullQueue", "ioredis"));
  const { Queue, Worker } = await import("bullmq").catch(missingPackage("bullQueue", "bullmq"));
  const client = new RedisClient(url, {
    maxRetriesPerRequest: null,
    retryStrategy: (times: number) => Math.min(50 * 2 ** times, MAX_RECONNECT_MS),
  });
  client.on("error", () => {}); // it reconnects; callers get a time-out
  const connection = client;
  const queue = new Queue<Ticket>(name, { connection });
  queue.on("error", () => {});
  const signals = redisSignals(client, name);
  return {
    queue,
    signals,
    consume: (process, options) => new Worker<Ticket>(name, process, { ...options, connection }),
    async close() {
      signals.close();
      await queue.close();
      client.disconnect();
    },
    cut: () => client.disconnect(),
  };
}
